"""The methods that the four papers compare themselves with, trained by the same loop."""
