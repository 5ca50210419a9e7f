"""The course's material: the exercises with their checker, the papers' tables and claims."""
