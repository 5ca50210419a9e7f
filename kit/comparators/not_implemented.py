"""What the papers compare with and is no recipe here: repairs that train no encoder, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Elsewhere:
    """A comparator that the kit has, but not as a training. where: what to import."""

    name: str
    source: str
    where: str


@dataclass(frozen=True)
class LeftOut:
    """A comparator that the kit has not. compared_in: the papers whose tables or text name it."""

    name: str
    source: str
    compared_in: str
    reason: str


ELSEWHERE = (
    Elsewhere("averaged GloVe", "Pennington et al. 2014", "kit.encoder.glove.GloveEncoder"),
    Elsewhere("whitening", "Su et al. 2021", "kit.encoder.whitening.whitening"),
    Elsewhere("flow", "Li et al. 2020", "kit.encoder.normalizing_flow.fit_flow"),
)

_SUCCESSIVE = "needs books or articles whose sentences follow one another in order, and trains for days"

LEFT_OUT = (
    LeftOut(
        "CLEAR",
        "Wu et al. 2020",
        "SupMPN",
        "pretrains from the start on books and Wikipedia; its deletion and reordering are views of 'consert'",
    ),
    LeftOut(
        "SG-BERT",
        "Kim et al. 2021",
        "SupMPN",
        "a frozen copy's hidden layers guide the encoder; with two layers there is next to nothing to choose from",
    ),
    LeftOut(
        "InferSent",
        "Conneau et al. 2017",
        "Liao, SupMPN, DeCLUTR, PAUSE",
        "a BiLSTM over GloVe, not a transformer; its objective is that of 'sbert'",
    ),
    LeftOut(
        "Universal Sentence Encoder",
        "Cer et al. 2018",
        "Liao, SupMPN, DeCLUTR, PAUSE",
        "many tasks at once on web text that was never released",
    ),
    LeftOut("Skip-thought", "Kiros et al. 2015", "Liao, SupMPN, PAUSE", _SUCCESSIVE),
    LeftOut("Quick-Thoughts", "Logeswaran & Lee 2018", "Liao, DeCLUTR", _SUCCESSIVE),
    LeftOut("FastSent", "Hill et al. 2016", "PAUSE", _SUCCESSIVE),
    LeftOut(
        "SDAE", "Hill et al. 2016", "PAUSE", "an LSTM autoencoder; 'tsdae' is what became of it with a transformer"
    ),
    LeftOut("ParagraphVec DBOW", "Le & Mikolov 2014", "PAUSE", "has no encoder: every new text is fitted by itself"),
    LeftOut("TF-IDF over words", "Hill et al. 2016", "PAUSE", "counts words; no embedding is learnt"),
    LeftOut(
        "averaged fastText",
        "Bojanowski et al. 2017",
        "SupMPN, DeCLUTR",
        "gigabytes of word vectors for a baseline that averaged GloVe stands for",
    ),
    LeftOut(
        "Sentence Transformers as released",
        "Reimers & Gurevych 2019",
        "DeCLUTR",
        "published weights of 110 million parameters and more; the objective is 'sbert'",
    ),
    LeftOut(
        "fine-tuning on STS-B",
        "Reimers & Gurevych 2019; PAUSE, table 2",
        "PAUSE",
        "regression on the scores of a benchmark; all results here are without its training pairs",
    ),
    LeftOut(
        "IS-BERT on the task's own sentences",
        "Zhang et al. 2020",
        "PAUSE",
        "'isbert' with a list of those sentences; not measured",
    ),
    LeftOut(
        "paraphrased positives",
        "SupMPN, Appendix A",
        "SupMPN",
        "needs a paraphrasing T5 of its own; fill='copy', 'delete' and 'synonyms' are there",
    ),
    LeftOut(
        "RoBERTa and BERT-large versions",
        "the papers of each",
        "SupMPN, DeCLUTR, PAUSE",
        "too large for a laptop; every recipe takes any encoder that load_encoder takes",
    ),
)
