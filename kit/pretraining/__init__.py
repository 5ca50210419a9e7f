"""Pretraining a compact BERT by masked language modelling.

corpus     text to one stream of word pieces     masking    whole words, drawn for every batch
batches    windows of the stream                 mlm        the model and its loss
heldout    loss on unseen text                   run        the loop
start      embeddings from counts                export     a folder that transformers loads
plot       held-out loss over time, as SVG
"""
