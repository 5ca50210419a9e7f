"""Pretraining a compact BERT by masked language modelling.

corpus     text to one stream of word pieces     compact_bert  the model and its loss
windows    batches of rows out of the stream     pretrain      the plan of a run, and its loop
heldout    loss on unseen text                   hardware      memory, and the yardstick of speed
start      embeddings from counts                export        a folder that transformers loads
plot       held-out loss over time, as SVG

Words are hidden by `kit.training.masking`.
"""
