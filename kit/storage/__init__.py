"""Files that survive a kill: written whole or not at all, proved by checksums, and owned by one process at a time.

Stands below the core: of the kit it imports `kit.errors` alone, and the core may import it.
"""
