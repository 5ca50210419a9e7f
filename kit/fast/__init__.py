"""The door for speed: everything that only makes things faster, each beside a plain twin that computes the same."""
