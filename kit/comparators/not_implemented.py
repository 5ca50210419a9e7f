"""What the papers compare with that is no recipe here: repairs that train no encoder, and what is not implemented."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeeAlso:
    """A comparator that the kit has, but not as a training. where: what to import."""

    name: str
    source: str
    where: str


@dataclass(frozen=True)
class NotImplementedHere:
    """A comparator that the kit has not. compared_in: the papers whose tables or text name it."""

    name: str
    source: str
    compared_in: str
    reason: str


SEE_ALSO = (
    SeeAlso("averaged GloVe", "Pennington et al. 2014", "kit.comparators.glove.GloveEncoder"),
    SeeAlso("whitening", "Su et al. 2021", "kit.encoder.whitening.whitening"),
    SeeAlso("flow", "Li et al. 2020", "kit.comparators.normalizing_flow.fit_flow"),
)

_SUCCESSIVE = "needs books or articles whose sentences follow one another in order, and trains for days"

NOT_IMPLEMENTED = (
    NotImplementedHere(
        "CLEAR",
        "Wu et al. 2020",
        "SupMPN",
        "pretrains from the start on books and Wikipedia; its deletion and reordering are views of 'consert'",
    ),
    NotImplementedHere(
        "SG-BERT",
        "Kim et al. 2021",
        "SupMPN",
        "a frozen copy's hidden layers guide the encoder; with two layers there is next to nothing to choose from",
    ),
    NotImplementedHere(
        "InferSent",
        "Conneau et al. 2017",
        "Liao, SupMPN, DeCLUTR, PAUSE",
        "a BiLSTM over GloVe, not a transformer; its objective is that of 'sbert'",
    ),
    NotImplementedHere(
        "Universal Sentence Encoder",
        "Cer et al. 2018",
        "Liao, SupMPN, DeCLUTR, PAUSE",
        "many tasks at once on web text that was never released",
    ),
    NotImplementedHere("Skip-thought", "Kiros et al. 2015", "Liao, SupMPN, DeCLUTR, PAUSE", _SUCCESSIVE),
    NotImplementedHere("Quick-Thoughts", "Logeswaran & Lee 2018", "Liao, DeCLUTR, PAUSE", _SUCCESSIVE),
    NotImplementedHere("FastSent", "Hill et al. 2016", "DeCLUTR, PAUSE", _SUCCESSIVE),
    NotImplementedHere(
        "SDAE", "Hill et al. 2016", "PAUSE", "an LSTM autoencoder; 'tsdae' is what became of it with a transformer"
    ),
    NotImplementedHere(
        "ParagraphVec DBOW", "Le & Mikolov 2014", "PAUSE", "has no encoder: every new text is fitted by itself"
    ),
    NotImplementedHere("TF-IDF over words", "Hill et al. 2016", "PAUSE", "counts words; no embedding is learnt"),
    NotImplementedHere(
        "averaged fastText",
        "Bojanowski et al. 2017",
        "SupMPN, DeCLUTR",
        "gigabytes of word vectors for a baseline that averaged GloVe stands for",
    ),
    NotImplementedHere(
        "Sentence Transformers as released",
        "Reimers & Gurevych 2019",
        "DeCLUTR",
        "published weights of 110 million parameters and more; the objective is 'sbert'",
    ),
    NotImplementedHere(
        "fine-tuning on STS-B",
        "Reimers & Gurevych 2019; PAUSE, table 2",
        "PAUSE",
        "regression on the scores of a benchmark; all results here are without its training pairs",
    ),
    NotImplementedHere(
        "IS-BERT on the task's own sentences",
        "Zhang et al. 2020",
        "PAUSE",
        "'isbert' with a list of those sentences; not measured",
    ),
    NotImplementedHere(
        "paraphrased positives",
        "SupMPN, Appendix A",
        "SupMPN",
        "needs a paraphrasing T5 of its own; augment='copy', 'delete' and 'synonyms' are there",
    ),
    NotImplementedHere(
        "RoBERTa and BERT-large versions",
        "the papers of each",
        "SupMPN, DeCLUTR, PAUSE",
        "too large for a laptop; every recipe takes any encoder that load_encoder takes",
    ),
)
