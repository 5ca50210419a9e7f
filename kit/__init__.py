"""Pull·Push: contrastive sentence embeddings, from the first cosine to a trained BERT.

The rooms of the house, lowest first; each imports only from those before it:

    kit.data, kit.losses          text and relations; tensors only
    kit.encoder, kit.evaluation   sentences to vectors; STS and geometry
    kit.training, kit.boards         batches, recipes, fit; pictures and widgets
    kit.lesson                    the first cell of every notebook

Nothing heavy is imported here, so `import kit` costs nothing: take the room you need.

This file is also the composition root: the one place that knows the core and what stands beside it. It fills the
slots of `kit.extensions`, and each function below imports its package when it is first called.
"""

from kit import extensions

__version__ = "0.1.0"


@extensions.made_up_data.fill
def _made_up_data():
    from kit.world import stand_in

    return stand_in


@extensions.english.fill
def _english():
    from kit import english

    return english


@extensions.comparators.fill
def _comparators():
    from kit.comparators import recipe_list

    return recipe_list


@extensions.several_processes.fill
def _several_processes():
    from kit.scaling import distributed

    return distributed


@extensions.row_streams.fill
def _row_streams():
    from kit.scaling import row_stream

    return row_stream
