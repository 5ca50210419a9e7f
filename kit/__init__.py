"""Pull·Push: contrastive sentence embeddings, from the first cosine to a trained BERT.

The rooms of the house, lowest first; each imports only from those before it:

    kit.data, kit.losses          text and relations; tensors only
    kit.encoder, kit.evaluation   sentences to vectors; STS and geometry
    kit.training, kit.boards         batches, recipes, fit; pictures and widgets
    kit.lesson                    the first cell of every notebook

Nothing is imported here, so `import kit` costs nothing: take the room you need.
"""

__version__ = "0.1.0"
