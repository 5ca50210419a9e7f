"""Recipes that the papers compare with: Liao's Augment baselines, ConSERT, Mirror-BERT, CT, TSDAE, IS-BERT.

Beside them the two that train on scored pairs, CoSENT and SBERT's regression, and SupCon on texts with a class.

What is compared with, but not trained here, is in `kit.comparators.not_implemented`.
"""

from __future__ import annotations

from kit.comparators.augmented_sbert import AugmentOptions
from kit.comparators.denoising import DenoisingOptions
from kit.comparators.information import InformationOptions
from kit.comparators.recipe_table import as_text
from kit.comparators.scored_pairs import ScoredOptions
from kit.comparators.tension import TensionOptions
from kit.comparators.text_classes import ClassOptions
from kit.comparators.view_pairs import ViewsOptions
from kit.training.recipes.softmax_recipes import CLIPPED
from kit.training.settings import Recipe

__all__ = ["RECIPES", "as_text"]

# As 'sbert' and 'scl', so that the pairs alone differ.
_LIAO = {"lr": 1e-3, "dropout": 0.0}
# Chosen on pairs of no test set, see data/results/comparators_choices.json.
_CONSERT = {"lr": 2e-4, "batch_size": 128, "epochs": 1}
_MIRROR = {"lr": 2e-4, "batch_size": 128, "epochs": 1}
_CT = {"lr": 3e-4, "batch_size": 64, "epochs": 1}
_TSDAE = {"lr": 1e-3, "batch_size": 16, "epochs": 1, "dropout": 0.0}
_AS_SCL = {"lr": 1e-3, "batch_size": 64, "epochs": 2, "dropout": 0.0}  # SupCon's own choice is the same
_ISBERT = {"lr": 2e-3, "batch_size": 64, "epochs": 1, "dropout": 0.0}


def _both(settings: dict) -> dict:
    """The same on every small machine, with clipped gradients; on "gpu" the numbers of the paper and its code."""
    compact = {"clip": 1.0, **settings}
    return {"smoke": compact, "laptop": compact, "gpu": {}}


_AUGMENT = (
    "all pairs of SBERT stay, so N₊ takes none away; N₋ adds the anchor with sampled hypotheses of other premises; "
    "those have no label, and the paper does not say which they got: 'contradiction' here (borrowed='neutral' is the "
    "other reading); a classifier of one linear layer, not of two; compact encoder; the part of SNLI at hand; a larger "
    "learning rate, no dropout, gradients clipped at 1"
)
_SENTENCES = "the sentences of NLI; compact encoder; a larger learning rate, another batch"

RECIPES = (
    Recipe(
        "augment_3p3n",
        "3p3n-Augment: cross-entropy, also on the strangers among 3 sampled negatives an anchor",
        "Liao 2021, table 2",
        AugmentOptions(max_positives=3, max_negatives=3),
        pooling="mean_without_cls",
        presets=_both(_LIAO),
        deviations=_AUGMENT,
    ),
    Recipe(
        "augment_all",
        "allpalln-Augment: cross-entropy, also on an anchor with every stranger of the batch",
        "Liao 2021, table 2",
        AugmentOptions(),
        pooling="mean_without_cls",
        presets=_both(_LIAO),
        deviations=_AUGMENT,
    ),
    Recipe(
        "consert",
        "ConSERT: a shuffled and a cut view of each sentence",
        "Yan et al. 2021, Eq. 1 and section 3.2",
        ViewsOptions(first_view="shuffle", second_view="cut", temperature=0.1, similarity="cosine"),
        batch_size=96,
        lr=5e-7,
        dropout=0.0,
        clip=1.0,
        presets=_both(_CONSERT),
        deviations="token cutoff takes 15 % of the pieces out instead of zeroing them, and stands for feature cutoff "
        "in the second view, of 20 % in the code; [CLS] and [SEP] keep their places in the shuffled view, in the code "
        "not always; mean of the last layer alone; one epoch, not up to ten that stop when the development set no "
        f"longer gains; AdamW with bias correction; {_SENTENCES}; {CLIPPED}",
    ),
    Recipe(
        "mirror",
        "Mirror-BERT: a sentence and itself with a masked span, under other dropout",
        "Liu et al. 2021, Eq. 1 and section 2",
        ViewsOptions(first_view="copy", second_view="mask", temperature=0.04, similarity="cosine"),
        batch_size=200,
        lr=2e-5,
        presets=_both(_MIRROR),
        deviations="mean pooling over the words, not [CLS] (the authors' script has a mean with the padding in it); "
        "the span is 2 word pieces, not 5 characters, and sentences under 30 characters are masked as well; a rate "
        "that warms up and falls, and no weight decay, not a constant rate and 0.01; "
        f"{_SENTENCES}, gradients clipped at 1",
    ),
    Recipe(
        "ct",
        "CT: two encoders, and which of their sentences are the same",
        "Carlsson et al. 2021, section 3",
        TensionOptions(),
        batch_size=16,
        lr=1e-5,
        schedule="constant",
        dropout=0.1,
        presets=_both(_CT),
        deviations="a sentence meets others of its batch, where both sentences of the code's different pairs are drawn "
        "from all; a batch of 16 is of sentences, 128 pairs, where the code's is of pairs, 2 of them identical; mean "
        "over the pairs; AdamW, and a rate that warms up and stays, not RMSProp with a falling one; with dropout, "
        "which the code trains without; the encoder that was handed in is kept, not the better of the two on "
        f"evaluation data; {_SENTENCES}, gradients clipped at 1",
    ),
    Recipe(
        "tsdae",
        "TSDAE: the sentence again from the vector of its remains",
        "Wang et al. 2021, section 3",
        DenoisingOptions(),
        batch_size=8,
        lr=3e-5,
        schedule="constant",
        warmup=0.0,
        clip=1.0,
        presets=_both(_TSDAE),
        deviations="mean pooling, not [CLS]; a fresh decoder of one layer that shares the embeddings, not a pretrained "
        f"one that shares all weights; {_SENTENCES}, no dropout; {CLIPPED}",
    ),
    Recipe(
        "isbert",
        "IS-BERT-like: information between a sentence's parts and its whole",
        "Zhang et al. 2020, section 3",
        InformationOptions(local_layer="embeddings"),
        batch_size=32,
        lr=1e-6,
        clip=1.0,
        presets=_both(_ISBERT),
        deviations="the sentence's vector is the mean of the token vectors, not of the convolutions' features, so that "
        "the encoder alone is kept; a linear map makes one length of both; the convolutions have a ReLU, which the "
        "code has not, and under every preset read the embeddings, as over the last layer (local_layer='last') a "
        f"compact encoder does worse; {_SENTENCES}, no dropout; {CLIPPED}",
    ),
    Recipe(
        "cosent",
        "CoSENT: pairs that people scored higher get the higher cosine",
        "Su 2022, CoSENT",
        ScoredOptions(),
        batch_size=32,
        epochs=5,
        presets=_both(_AS_SCL),
        deviations="of NLI, where there are no scores, entailment counts as 1, neutral as ½, contradiction as 0; mean "
        "pooling, not [CLS]; a rate that warms up and falls, not a constant one; AdamW without decay, not Adam (the "
        "same step); compact encoder; a larger learning rate, not chosen for it but SCL's, batches of 64, two epochs, "
        "no dropout, gradients clipped at 1",
    ),
    Recipe(
        "cosine_regression",
        "SBERT's regression: the cosine becomes the score",
        "Reimers & Gurevych 2019, section 3",
        ScoredOptions(score_loss="cosine"),
        batch_size=16,
        epochs=4,
        presets=_both(_AS_SCL),
        deviations="as 'cosent': a larger learning rate, batches of 64, two epochs, no dropout, gradients clipped at "
        "1; scores from 0 to 1",
    ),
    Recipe(
        "supcon",
        "SupCon: texts of one class attract each other, all others repel",
        "Khosla et al. 2020, Eq. 2",
        ClassOptions(),
        batch_size=1024,
        epochs=2,
        presets=_both(_AS_SCL),
        deviations="texts, not pictures, and one view of each, whose positives are the other texts of its class; a "
        "batch holds two texts or more of nearly every class in it, where the code draws pictures at random; no "
        "projection head (projection='relu' is one), the encoder's own vector is compared; AdamW at a rate for BERT, "
        "not momentum SGD at 0.5; a rate that warms up and falls along a line, not a cosine; two epochs, not 1,000; "
        "of NLI an anchor and what it entails are one class, and every other hypothesis is alone in its own; compact "
        "encoder; a larger learning rate, batches of 64 texts, no dropout, gradients clipped at 1",
    ),
)
