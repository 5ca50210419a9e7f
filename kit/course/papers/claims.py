"""The claims of the four papers: what is compared, how it is measured, and what counts as a replication.

`kit.course.papers.rule` turns effects into verdicts. An effect is "new minus old", seed by seed.
Claims, parts and margins were fixed before the scoreboard was measured, except that the runs of L1, L4, L5, S1,
S4, S6 and S7 are those of earlier lessons and were known. The rule is the second one, and the figures were known
when it replaced the first: that judged by the sign of the mean and had no "undecided", so that a difference of
nothing "did not replicate" half of the time. With it came `Part.limit`, one formula for all claims of a
difference, and `Part.instead`. The margins are choices based on the papers:

- ALIKE, 1 point of an STS average: half of the two points between seeds that are reported for SimCSE.
- KEPT, 2 points of probing accuracy: a fifth of what training on NLI is said to cost.
- FLAT, 1 point of transfer accuracy: PAUSE's own label fractions differ by up to 0.92, in no order.
- ALMOST_ALL, 90 per cent: nine in ten.
- what counts as a difference at all: as much as these, or half of the published effect where that is less.
- "about" (P1, P2): up to twice the loss that PAUSE prints for its small encoder, which is as small as ours.

`new` and `old` name arms; scripts/claims_plan.py says what is trained for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kit.course.papers.conventions import STS_YEARS
from kit.course.papers.published import AVERAGE, PublishedFigure, find
from kit.course.papers.rule import NOT_COMPARABLE, Effect, verdict
from kit.errors import check_name

VERSION = 2  # of the claims and of data/results/claims.json
ALIKE, KEPT, FLAT, ALMOST_ALL, TOPICS = 1.0, 2.0, 1.0, 90.0, 4.0


@dataclass(frozen=True)
class Printed:
    """Where the published effect is printed: the mean over `tasks` of new minus old, minus the effect `less`.

    `stated` is an effect that no table holds, read from a plot.
    """

    paper: str = ""
    table: str = ""
    new: str = ""
    old: str = ""
    tasks: tuple[str, ...] = (AVERAGE,)
    less: Printed | None = None
    stated: float | None = None

    def effect(self, figures: Iterable[PublishedFigure]) -> float:
        if self.stated is not None:
            return self.stated
        figures = list(figures)
        apart = [
            find(figures, self.paper, self.table, self.new, task)
            - find(figures, self.paper, self.table, self.old, task)
            for task in self.tasks
        ]
        return sum(apart) / len(apart) - (self.less.effect(figures) if self.less else 0.0)


@dataclass(frozen=True)
class Part:
    """One comparison. measure: a key of scripts/claims_plan.py; old None: the value of one arm.

    margin: of the rules that need one; `limit` is what is handed to the rule. instead: what is measured in
    place of what the claim is about; such a part is "not comparable", whatever comes out.
    """

    name: str
    measure: str
    new: str
    old: str | None
    rule: str
    margin: float | None = None
    printed: Printed | None = None
    unit: str = "points"
    instead: str = ""

    def limit(self, published: float | None) -> float:
        """The margin of the rule; for "above" and "below" the smallest difference that counts."""
        if self.margin is not None:
            return self.margin
        counts_from = {"probing": KEPT, "transfer7": FLAT}.get(self.measure, ALIKE)
        return counts_from if published is None else min(counts_from, abs(published) / 2)

    def judge(self, effect: Effect, published: float | None) -> str:
        """The verdict of the rule on a measured effect."""
        return NOT_COMPARABLE if self.instead else verdict(self.rule, effect, self.limit(published))

    def published(self, figures: Iterable[PublishedFigure]) -> float | None:
        """The effect that the paper prints; None if it is given only as a plot or in words."""
        return self.printed.effect(figures) if self.printed else None


@dataclass(frozen=True)
class Claim:
    """One claim. differs: how our measurement differs from the paper's, in one sentence."""

    id: str
    paper: str
    statement: str
    parts: tuple[Part, ...]
    differs: str


def _liao(new: str, old: str = "SBERT baseline", table: str = "2") -> Printed:
    return Printed("liao2021", table, new, old)


def _lambda(lam: str, old: str = "SBERT baseline") -> Part:
    """λ of SCL against none; the paper's Table 6 repeats rows of its Table 2 and adds two."""
    base = Printed("liao2021", "2", "allpalln-lambda0.3-SCL", old)
    rest = Printed("liao2021", "6", "allpalln lambda=0.3 tau=1.0", f"allpalln lambda={lam} tau=1.0")
    return Part(
        f"λ {lam} − cross-entropy alone",
        "sts5_wmean",
        f"scl45 λ {lam}",
        "scl45 λ 0",
        "above",
        printed=Printed(base.paper, base.table, base.new, base.old, less=rest),
    )


SMALLER = "a 2-layer encoder, 128 wide"  # kit-bert-tiny; from another encoder the scoreboard names that one's size
_NLI = f"{SMALLER}; about 15,000 pairs of SNLI and MNLI"
_SNLI = f"{SMALLER}, not 8 layers and 512; 45,000 rows of SNLI, not 550,152"
_SPANS = f"{SMALLER}, not RoBERTa; 800 documents, not 497,868; shorter spans"
_FEW = f"{_NLI}, not 942,000, so that every fraction is sixty times fewer labels"
_ALL = f"{_FEW}; with all labels cross-entropy stands alone, as ambiguous pairs are dropped"
_OTHER_METHOD = "batches of SimCSE, not of SupMPN"
_STS12_16 = "the effect is on STS12–16, the paper's over all its tasks"

# A table, one line for each comparison.
# fmt: off
LIAO = (
    Claim("L1", "liao2021", "cross-entropy + contrast (λ 0.3) beats cross-entropy alone on STS12–16", (
        Part("SCL − SBERT", "sts5_wmean", "scl45 λ 0.3", "scl45 λ 0", "above",
             printed=_liao("allpalln-lambda0.3-SCL")),), _SNLI),
    Claim("L2", "liao2021", "the gain is not from more pairs: Augment is worse than SBERT", (
        Part("3p3n-Augment − SBERT", "sts5_wmean", "augment_3p3n", "sbert", "below", printed=_liao("3p3n-Augment")),
        Part("allpalln-Augment − SBERT", "sts5_wmean", "augment_all", "sbert", "below",
             printed=_liao("allpalln-Augment"))),
        f"{_NLI}, not 550,152 of SNLI; the paper does not say how borrowed pairs are labelled"),
    Claim("L3", "liao2021", "all negatives beat three (three positives, λ 0.5)", (
        Part("3palln − 3p3n", "sts5_wmean", "scl 3palln", "scl 3p3n", "above",
             printed=_liao("3palln-lambda0.5-SCL", "3p3n-lambda0.5-SCL")),), f"{_NLI}, not 550,152 of SNLI"),
    Claim("L4", "liao2021", "every λ from 0.1 to 0.9 beats cross-entropy alone; a small one is best", (
        *(_lambda(lam) for lam in ("0.1", "0.3", "0.5", "0.7", "0.9")),
        Part("λ 0.3 − λ 0.9", "sts5_wmean", "scl45 λ 0.3", "scl45 λ 0.9", "above",
             printed=_liao("allpalln lambda=0.3 tau=1.0", "allpalln lambda=0.9 tau=1.0", "6"))), _SNLI),
    Claim("L5", "liao2021", "with dot products, τ 1 beats τ 0.1", (
        Part("τ 1 − τ 0.1", "sts5_wmean", "scl45 τ 1", "scl45 τ 0.1", "above",
             printed=_liao("allpalln lambda=0.5 tau=1.0", "allpalln lambda=0.5 tau=0.1", "7")),),
        f"λ 0.3, not 0.5; {_SNLI}"),
    Claim("L6", "liao2021", "transfer gains are smaller than STS gains", (
        Part("(STS − transfer) gain of SCL", "sts5_less_transfer", "scl", "sbert", "above",
             printed=Printed("liao2021", "2", "allpalln-lambda0.3-SCL", "SBERT baseline",
                             less=_liao("allpalln-lambda0.3-SCL", table="3"))),),
        f"{_NLI}, not 550,152 of SNLI; λ 0.3 for both gains, and for the published effect, where the paper's sentence "
        "takes the best λ of each table"),
)

SUPMPN = (
    Claim("S1", "supmpn2022", "of raw BERT, almost all cosines lie between 0.6 and 1", (
        Part("the twelve sentences", "share_twelve", "raw", None, "reaches", ALMOST_ALL, unit="% of pairs"),
        Part("random pairs of STS-B", "share_stsb", "raw", None, "reaches", ALMOST_ALL, unit="% of pairs")),
        f"{SMALLER}, mean pooling; twelve sentences of our own; nothing is trained, so no seed matters"),
    Claim("S2", "supmpn2022", "SupMPN beats supervised SimCSE on the seven STS tasks", (
        Part("SupMPN − SimCSE", "sts7_all", "supmpn", "simcse", "above",
             printed=Printed("supmpn2022", "2", "SupMPN-BERTbase", "SimCSEsup-BERTbase")),),
        f"{_NLI}, not all; batches of 32 and 128; an epoch of SupMPN reads more sentences"),
    Claim("S3", "supmpn2022", "SupMPN beats SBERT", (
        Part("SupMPN − SBERT", "sts7_all", "supmpn", "sbert", "above",
             printed=Printed("supmpn2022", "2", "SupMPN-BERTbase", "SBERTbase")),),
        f"{_NLI}, not all; each with its recipe's batch, rate and pooling; SupMPN reads four times as much"),
    Claim("S4", "supmpn2022", "copies of the anchor serve as well as changed positives", (
        *(Part(f"copies − {name}", "sts7_all", "supmpn copy", f"supmpn {arm}", "no worse", ALIKE,
               Printed("supmpn2022", "A1", "SupMPN-BERTbase-None", f"SupMPN-BERTbase-{row}"))
          for name, arm, row in (("deletion", "delete", "RD"), ("synonyms", "synonyms", "SR"))),),
        f"{_NLI}; half an epoch; the fillings are changed, not the entailments; no paraphraser at hand"),
    Claim("S5", "supmpn2022", "positives end above negatives in all four topics; SimCSE fails in two", (
        Part("SupMPN, topics right", "topics", "supmpn", None, "reaches", TOPICS, Printed(stated=4.0), "topics"),
        Part("SupMPN − SimCSE", "topics", "supmpn", "simcse", "above", printed=Printed(stated=2.0), unit="topics")),
        f"{_NLI}; twelve sentences of our own on the paper's design"),
    Claim("S6", "supmpn2022", "whitening and flow lift raw BERT without labels", (
        *(Part(f"{repair} − raw", "repair_gain", repair, None, "above",
               printed=Printed("supmpn2022", "2", f"BERTbase-{repair}-NLI", "BERTbase (first-last avg.)"))
          for repair in ("whitening", "flow")),),
        f"{SMALLER}; fitted on 20,000 sentences of SNLI; a smaller flow"),
    Claim("S7", "supmpn2022", "larger batches help, until 256", (
        Part("batch 256 − 64", "sts7_all", "simcse batch 256", "simcse batch 64", "above", instead=_OTHER_METHOD),
        Part("batch 512 − 256", "sts7_all", "simcse batch 512", "simcse batch 256", "alike", ALIKE,
             instead=_OTHER_METHOD)),
        f"supervised SimCSE, not SupMPN; {_NLI}; equal epochs, so larger batches take fewer steps"),
)


def _years(new: str, old: str) -> Printed:
    return Printed("declutr2021", "2", new, old, STS_YEARS)


DECLUTR = (
    Claim("D1", "declutr2021", "DeCLUTR lifts the encoder it starts from", (
        Part("DeCLUTR − start", "sts5_mean", "declutr", "none", "above",
             printed=_years("DeCLUTR-small", "Transformer-small")),), _SPANS),
    Claim("D2", "declutr2021", "two anchors a document beat one", (
        Part("A 2 − A 1", "sts5_mean", "declutr", "declutr A 1", "above"),),
        f"{_SPANS}; {_STS12_16}; A 1 with twice the documents a batch and twice the epochs"),
    Claim("D3", "declutr2021", "more positives an anchor barely matter", (
        Part("P 2 − P 1", "sts5_mean", "declutr", "declutr P 1", "alike", ALIKE),
        Part("P 4 − P 1", "sts5_mean", "declutr P 4", "declutr P 1", "alike", ALIKE)), f"{_SPANS}; {_STS12_16}"),
    Claim("D4", "declutr2021", "contrast and masked words together beat either alone", (
        Part("both − contrast alone", "sts5_mean", "declutr", "declutr contrast alone", "above"),
        Part("both − masked words alone", "sts5_mean", "declutr", "declutr words alone", "above")),
        f"{_SPANS}; {_STS12_16}"),
    Claim("D5", "declutr2021", "all kinds of positives beat adjacent or subsumed ones alone", (
        Part("any − adjacent", "sts5_mean", "declutr", "declutr adjacent", "above"),
        Part("any − subsumed", "sts5_mean", "declutr", "declutr subsuming", "above")), f"{_SPANS}; {_STS12_16}"),
    Claim("D6", "declutr2021", "probing accuracy is kept, where training on NLI loses it", (
        Part("DeCLUTR − start", "probing", "declutr", "none", "no worse", KEPT,
             Printed("declutr2021", "3", "DeCLUTR-small", "Transformer-small")),
        Part("SBERT − start", "probing", "sbert", "none without [CLS]", "below",
             printed=Printed("declutr2021", "3", "Sentence Transformers", "Transformer-base"))),
        f"{_SPANS}; {_NLI} for SBERT; the probing sentences are made up by the kit's grammar"),
)


def _pause(few: str, table: str = "1", size: str = "small") -> Printed:
    return Printed("pause2021", table, f"PAUSE-NLI-{size}-{few}", f"PAUSE-NLI-{size}-100%")


PAUSE = (
    *(Claim(name, "pause2021", f"{few} of the labels cost about {cost}", (
        Part(f"{few} − 100%", "sts7_all", f"pause {few}", "pause 100%", "costs little", bound, _pause(few)),), _ALL)
      for name, few, cost, bound in (("P1", "10%", "two points", 6.5), ("P2", "50%", "one point", 2.94))),
    Claim("P3", "pause2021", "transfer accuracy hardly depends on the label fraction", (
        Part("1% − 100%, transfer", "transfer7", "pause 1%", "pause 100%", "alike", FLAT,
             _pause("1%", "3", "base")),), _ALL),
    Claim("P4", "pause2021", "annealing (α 3) steadies training against a constant weight", (
        Part("annealed − constant, 10% labels", "sts7_all", "pause 10%", "pause constant", "above",
             instead="where training ends, not how steady it is"),),
        f"{_FEW}; judged by what the training ends with, as the spread of a few seeds says little"),
)

# fmt: on
CLAIMS = {claim.id: claim for claim in (*LIAO, *SUPMPN, *DECLUTR, *PAUSE)}


def claim(name: str) -> Claim:
    """The claim called `name`, such as "L1". Errors: `KitError` for an unknown one."""
    check_name("claim", name, CLAIMS)
    return CLAIMS[name]
