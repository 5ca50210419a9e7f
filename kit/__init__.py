"""Pull·Push: contrastive sentence embeddings, from the first cosine to a trained BERT.

    from kit.data import group_by_premise, load, load_sts
    from kit.encoder import load_encoder
    from kit.evaluation import evaluate_sts
    from kit.training import fit, recipe

    groups = group_by_premise(load("stanfordnlp/snli"))   # a path, a mirror, the Hub, or made-up captions
    settings = recipe("scl", "laptop", lam=0.3)           # `kit recipes` lists them all
    encoder = load_encoder("kit-bert-tiny", pooling=settings.pooling)
    fit(encoder, settings, groups, seed=0)
    print(evaluate_sts(encoder, load_sts()))

Start with the notebooks: `make lab` opens the first. To read the code, start with `kit.plain`, the whole
method on one page. Every package says in its docstring what it has, as `help(kit.losses)`:

    the core    kit.data, kit.losses, kit.encoder, kit.training, kit.evaluation, kit.lesson
    for speed   kit.fast, which computes the same; KIT_FAST=0 turns it off
    beside it   kit.course (exercises, papers), kit.boards and kit.figures (pictures), kit.workshop (live training),
                kit.world (made-up captions), kit.scaling (streams, several processes), kit.comparators,
                kit.pretraining, kit.english, kit.retrieval (search), kit.owndata (files of one's own), kit.sharing,
                kit.commands (`kit` in a shell)

`import kit` costs nothing: what stands beside the core is imported when it is first used. This file is the one
place that knows both sides; it fills the slots of `kit.extensions`.
"""

import os

from kit import extensions, fast

fast.tell_torch()  # before it is loaded

# What libraries would tell their makers of the reader, off before they are loaded; what the reader has set stays.
# onnxruntime writes a number for the machine into the home folder and asks for an address as soon as it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
if not os.environ.keys() & {"HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY", "DO_NOT_TRACK"}:  # any one is an answer
    os.environ |= {"HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}

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
