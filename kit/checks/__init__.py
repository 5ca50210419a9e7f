"""What a reader may have given wrong, or a model's folder asks for, told in one sentence before any work is done.

Stands below the core, as `kit.storage` does: it imports errors and number_checks alone, and the core may import it.
"""
