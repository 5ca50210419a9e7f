"""The parts of an encoder's card that come from data/results: held-out loss, geometry, STS, overlap."""

from __future__ import annotations

import math
import re
import statistics

from card_tables import of, sources_of, table
from render_means import named

from kit.evaluation import AGGREGATIONS

STARTS = {"random": "random weights", "glove": "averaged GloVe"}
VARIANTS = {  # of a recipe, in the table under a name of their own
    "scl_all_nli": "SNLI and all other NLI labelled by people, where scl has SNLI alone.",
    "scl_longer": "SNLI alone, as scl, trained on for as many steps as scl_all_nli.",
    "simcse_borrowed": "every entailed pair takes part; one without a contradicted hypothesis beside it has that of "
    "another premise (`borrow_negatives=True`).",
    "simcse_longer": "the triplets of simcse, trained on for as many steps as simcse_borrowed.",
    "simcse_few": "simcse on 15,000 of the premises, with their hypotheses.",
    "simcse_definitions": "as simcse_borrowed, with every meaning of WordNet among the pairs, its words beside its "
    "definition, for as many steps, so that NLI is read less; definitions that STS or SICK has were left out.",
    "simcse_minimal": "as simcse_borrowed, with captions among the pairs, each beside a rewording and a hard negative "
    "in nearly its own words, for as many steps; those with a sentence of STS or SICK were left out.",
    "simcse_reworded": "as simcse_minimal, without these hard negatives: each rewording has one of another premise.",
    "scl_minimal": "as scl_all_nli, with the captions of simcse_minimal, for as many steps.",
    "scl_minimal_tau_10": "as scl_minimal, at τ = 10 in place of 1.",
    "scl_minimal_tau_10_longer": "as scl_minimal_tau_10, for twice as many steps.",
    "scl_minimal_tau_10_faster": "as scl_minimal_tau_10, at twice the learning rate, 1e-3.",
    "simcse_captions": "as simcse_borrowed, with two pairs of captions of each picture beside it; pictures of "
    "which STS or SICK has a caption were left out; as many epochs, so nearly twice as many steps.",
}


def variant(recipe: str) -> str:
    """What sets a recipe's variant apart, as a sentence behind another; nothing for a recipe."""
    told = VARIANTS.get(recipe, "")
    return f" {told[0].upper()}{told[1:]}" if told else ""


def heldout(measured: dict | None, known: list[dict]) -> str:
    """Masked loss by kind of text: the sources of one corpus file together, each piece alike."""
    if not measured:
        return "## Held-out text\n\nNot measured."
    kinds: dict[str, list[tuple[str, dict]]] = {}
    for name, entry in measured.items():
        if name != "all":
            kind = sources_of({name: 1}, known)[0]["file"]
            kinds.setdefault(kind or f"{name} (not trained on)", []).append((name, entry))
    rows = []
    for kind, entries in [*sorted(kinds.items()), ("**all**", [("all", measured["all"])])]:
        n = sum(entry["masked"] for _, entry in entries)
        loss = sum(entry["loss"] * entry["masked"] for _, entry in entries) / n
        right = sum(entry["accuracy"] * entry["masked"] for _, entry in entries) / n
        rows.append((kind, f"{n:,}", f"{loss:.3f}", f"{math.exp(loss):.1f}", f"{right:.1f}"))
    return (
        "## Held-out text\n\nDocuments that no training file holds. Loss in nats, accuracy in % of the masked "
        "pieces.\n\n" + table(["kind of text", "masked pieces", "loss", "pseudo-perplexity", "accuracy"], rows)
    )


def geometry(measured: dict | None) -> str:
    """The raw space: how far from isotropic, layer by layer."""
    if not measured:
        return "## The raw space\n\nNot measured."

    def figures(label: str, entry: dict) -> tuple:
        return (
            label,
            of(entry, "mean_cosine", form=".3f"),
            of(entry, "share_above", form=".1%"),
            of(entry, "effective_rank", form=".1f"),
        )

    last, without = measured["per_layer"][-1]["layer"], measured.get("without_top_directions", {})
    above = of(measured["per_layer"][-1], "share_above", form=".1%")
    rows = [figures("embeddings" if e["layer"] == 0 else f"layer {e['layer']}", e) for e in measured["per_layer"]]
    rows.append(figures(f"layer {last} without its top {of(without, 'removed', form='d')} directions", without))
    return (
        f"## The raw space\n\nMean-pooled vectors of {of(measured, 'sentences', form=',d')} sentences, no "
        "fine-tuning; cosines of random pairs.\n\n"
        + table(["vectors", "mean cosine", "share above 0.6", "effective rank"], rows)
        + "\n\nCorrelation of nearness with word frequency: "
        f"{of(measured, 'frequency_correlation', form='.2f')}. For comparison: raw BERT-base is reported with "
        "nearly all cosines between 0.6 and 1 (Dehghan and Amasyali 2022, Figure 2, on twelve sentences); of this "
        f"encoder's last layer {above} of random pairs are above 0.6."
    )


def raw_sts(measured: dict) -> str:
    """STS without fine-tuning, by pooling, and after whitening."""
    raw, white = measured.get("raw_sts") or {"raw": {}}, measured.get("whitened_sts") or {}
    entries = [
        *((name.replace("_", "-"), entry) for name, entry in raw.items()),
        (f"mean, whitened to {white['dim']}" if white else "whitened", white),
    ]
    names = next((list(entry["tasks"]) for _, entry in entries if entry), None)
    if not names:
        return "## STS without fine-tuning\n\nNot measured."
    rows = [
        (
            label,
            *(of(e, "tasks", t, "all", form=".2f") for t in names),
            *(of(e, "average", kind, form=".2f") for kind in AGGREGATIONS),
        )
        for label, e in entries
    ]
    return (
        "## STS without fine-tuning\n\nSpearman × 100; tasks with all pairs of a task in one correlation (all), "
        "averages over the tasks in three conventions.\n\n"
        + table(["pooling", *names, *(f"average ({kind})" for kind in AGGREGATIONS)], rows)
    )


def finetuned(name: str, encoders: dict) -> str:
    """The test that matters: the same fine-tuning from these weights, from random ones, and GloVe."""
    runs: dict[tuple[str, str], list[dict]] = {}
    for run in encoders.get("finetuned", []):
        if run["start"] in (name, *STARTS):
            runs.setdefault((run["recipe"], run["start"]), []).append(run)
    if not runs:
        return "## STS after fine-tuning\n\nNot measured."
    rows, means = [], {}
    for (recipe, start), group in sorted(runs.items()):
        scores = {kind: [run["sts"]["average"][kind] for run in group] for kind in AGGREGATIONS}
        means[recipe, start] = statistics.fmean(scores["all"])
        spread = [
            f"{statistics.fmean(s):.2f}" + (f" ± {statistics.stdev(s):.2f}" if len(s) > 1 else "")
            for s in scores.values()
        ]
        seeds = ", ".join(str(run["seed"]) for run in group if run["seed"] is not None) or "–"
        cosine = [of(run, "geometry", "mean_cosine", form=".3f") for run in group]
        rows.append((recipe.replace("none", "–"), STARTS.get(start, start), seeds, *spread, ", ".join(cosine)))
    worth = [
        f"{recipe}: {mean - means[recipe, 'random']:+.2f}"
        for (recipe, start), mean in means.items()
        if start == name and (recipe, "random") in means
    ]
    texts = {run["recipe"]: " ".join(map(of_these, run["data"])) for run in encoders["finetuned"] if run.get("data")}
    data = "".join(f"\n- {recipe}: {text}{variant(recipe)}" for recipe, text in texts.items())
    machines = sorted({run["hardware"] for group in runs.values() for run in group if run.get("hardware")})
    return (
        "## STS after fine-tuning\n\nAverage of the seven tasks, Spearman × 100, mean ± standard deviation "
        "over seeds; mean cosine of random pairs, seed by seed. Random weights are the same architecture and "
        f"tokenizer, untrained. Trained on:\n{data or 'not recorded'}\n\n"
        + table(["recipe", "start", "seeds", *(f"average ({k})" for k in AGGREGATIONS), "mean cosine"], rows)
        + "\n\nWhat pretraining is worth beside random weights, at the same rate and for as many steps, in points of "
        "the average (all): "
        + ("; ".join(worth) or "not measured")
        + f". Machine: {', '.join(machines) or 'not recorded'}."
    )


def of_these(line: str) -> str:
    """What was made of a table, as it is recorded, in a sentence."""
    recorded = r"^Of these (captions )?(.*); (.*) were left out\."
    return re.sub(recorded, lambda m: f"Of its {m[1] or 'rows '}{m[2]} were taken, and {m[3]} left out.", line)


def averaged(name: str, means: dict) -> str:
    """One encoder from several runs of these weights, as a sentence behind the table of the runs."""
    told = [
        f"{named(label)} ({label}): {arm['mean']['all']:.2f}, the runs {min(arm['single']):.2f} to "
        f"{max(arm['single']):.2f}"
        for label, arm in means.get("arms", {}).items()
        if arm["start"] == name
    ]
    return f" The mean of several runs' weights, average (all): {'; '.join(told)}." if told else ""


def shapes(found: dict) -> str:
    """Other shapes of about the same bytes and other ways to pretrain, for as long, fine-tuned: which is the best?"""
    from results_sizes import TRIALS, operations

    rows, first = [], 0.0
    for name, shape in found["shapes"].items():
        last, sts = shape["heldout"][-1], shape["sts"]
        needed = last["tokens"] * operations(TRIALS[name])
        first = first or needed
        rows.append(
            (
                name,
                f"{shape['bytes'] / 1e6:.1f}",
                f"{last['tokens'] / 1e6:.1f}",
                f"{100 * needed / first:.0f} %",
                f"{last['heldout_loss']:.3f}",
                f"{sts['mean']:.2f} ± {sts['sd']:.2f}",
            )
        )
    head = ["layers × width", "MB", "million tokens", "operations", "held-out loss", "STS average (all)"]
    others = "; ".join(name for name in TRIALS if name not in found["shapes"])
    not_tried = f" Planned in `scripts/results_sizes.py` and not measured: {others}." if others else ""
    made = ", ".join(dict.fromkeys(f"{one['hardware']}, {one['date']}" for one in found["shapes"].values()))
    return (
        f"## Other shapes\n\nEach grown from {found['from']} and pretrained with about as many floating-point "
        f"operations as the first, all at a peak rate of {found['lr']:g} (warm-up over 500 steps, constant, and a "
        "linear fall over the last fifth, where nothing else is said), with 15 % of the word pieces masked; held-out "
        "loss with 15 % for all. Then "
        f"{found['simcse_steps']} steps of SimCSE with {len(found['seeds'])} seeds. {made}; measured after "
        f"{found['of']} had its shape.{not_tried}\n\n" + table(head, rows)
    )


def evaluation_text(overlap: dict) -> str:
    """Whether evaluation sentences are in the pretraining text."""
    if not overlap:
        return "## Evaluation sentences in the text\n\nNot measured."
    rows = [
        (name, f"{e['sentences']:,}", f"{e['whole']:,}", f"{e['grams_share']:.2f}")
        for name, e in [*overlap["tasks"].items(), ("**all**", overlap["all"])]
    ]
    return (
        f"## Evaluation sentences in the text\n\nDistinct test sentences of {overlap['at_least_words']} or more "
        f"words that stand whole in the training text ({overlap['corpus']['words']:,} words), and the share (%) of "
        f"their distinct {overlap['n']}-grams that occur anywhere in it ({overlap['normalised']}).\n\n"
        + table(["task", "sentences", "whole in the text", f"{overlap['n']}-grams that occur"], rows)
    )
