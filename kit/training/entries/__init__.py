"""The recipes, one file for each family; `kit.training.recipes` puts them on one list."""
