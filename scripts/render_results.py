"""Write the tables of docs/results.md and the headline results of README.md from data/results/*.json.

    python scripts/render_results.py [--check]

Each stands between <!-- name --> and <!-- /name -->; `--check` changes nothing and exits with 1 where text and
files disagree.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from card_measured import VARIANTS
from render_choices import choices
from render_claims import CLAIMS_SAY, claims, sizes
from render_claims import LARGER as LARGER_ENCODER
from render_means import in_short, means, named

from kit.course.papers.scoreboard import check_version, entries
from kit.figures.scoreboard_sizes import contradicted_apart, shared_claims, turned_round

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "data" / "results"
GEOMETRY = (
    ("mean_cosine", "mean cosine of random pairs", 3),
    ("share_above", "share of pairs above 0.6", 3),
    ("effective_rank", "effective rank (of 128)", 1),
)
VERDICTS = {True: "met", False: "**not met**", None: ""}
LARGER = f"claims_{LARGER_ENCODER}"
LONGER = "kit-bert-mini-v2"
NOT_MEASURED = "*Not measured yet: the command above writes this table.*"


def foundation(result: dict) -> str:
    """SBERT and SCL against the raw encoder: STS by task and aggregation, and geometry."""
    before, after = result["before"], result["summary"]
    names = {"sbert": "SBERT (λ = 0)", "scl": "SCL (λ = 0.3)"}
    lines = ["| STS test, Spearman ×100 (wmean) | raw | " + " | ".join(names.values()) + " |", "|---|---:|---:|---:|"]
    for task, scores in before["sts"]["tasks"].items():
        cells = [spread(after[r]["tasks"][task]["wmean"]) for r in names]
        lines.append(f"| {task} ({scores['pairs']:,} pairs) | {scores['wmean']:.2f} | {' | '.join(cells)} |")
    for kind in ("all", "mean", "wmean"):
        cells = [spread(after[r]["average"][kind]) for r in names]
        lines.append(f"| **average, {kind}** | {before['sts']['average'][kind]:.2f} | {' | '.join(cells)} |")
    for key, label, digits in GEOMETRY:
        cells = [spread(after[r]["geometry"][key], digits) for r in names]
        lines.append(f"| {label} | {before['geometry'][key]:.{digits}f} | {' | '.join(cells)} |")
    gain, runs = result["scl_minus_sbert_wmean"], result["runs"]
    seconds = [run["seconds"] for run in runs]
    seeds = sorted({run["seed"] for run in runs})
    lines += [
        "",
        f"Encoder {result['encoder']}; {result['data']} Seeds {seeds}: mean ± standard deviation. "
        f"SCL − SBERT (average, wmean): {gain['mean']:+.2f}, 95 % interval {gain['low']:+.2f} to "
        f"{gain['high']:+.2f}; on STS12–16 alone {between(of_years(result))}, where the paper has +2.83 with an "
        f"8-layer, 512-wide encoder and all of SNLI. {min(seconds):.0f}–{max(seconds):.0f} s a run on "
        f"{runs[0]['hardware']}.",
    ]
    return "\n".join(lines)


def encoders(result: dict) -> str:
    """The bundled encoder after fine-tuning, against random weights and averaged GloVe."""
    rows: dict[tuple[str, str], list[dict]] = {}
    for run in result["finetuned"]:
        rows.setdefault((run["start"], run["recipe"]), []).append(run)
    lines = ["| start | fine-tuned with | seeds | STS average (all) | mean cosine |", "|---|---|---:|---:|---:|"]
    for name, model in result["models"].items():
        for pooling, raw in model["raw_sts"].items():
            lines.append(
                f"| {name} | nothing, {pooling.replace('_', '-')} | – | {raw['average']['all']:.2f} | "
                f"{raw['geometry']['mean_cosine']:.3f} |"
            )
        white = model["whitened_sts"]
        lines.append(
            f"| {name} | whitening, mean | – | {white['average']['all']:.2f} | {white['geometry']['mean_cosine']:.3f} |"
        )
    for (start, recipe), runs in rows.items():
        average = [run["sts"]["average"]["all"] for run in runs]
        cosine = sum(run["geometry"]["mean_cosine"] for run in runs) / len(runs)
        seeds = "–" if runs[0]["seed"] is None else str(len(runs))
        lines.append(f"| {start} | {recipe} | {seeds} | {spread_of(average)} | {cosine:.3f} |")
    said = (
        f"{trained_on(result)} {learning_rates(result['finetuned'])} Mean pooling counts [CLS]; SCL pools without it."
    )
    return "\n".join([*lines, "", said])


def proof(result: dict) -> str:
    """The evaluation on all-MiniLM-L6-v2 against the published MTEB figures."""
    lines = ["| task | measured | published | difference |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {row['all']:.2f} | {row['published_all']:.2f} | {row['difference']:+.3f} |"
        for name, row in result["tasks"].items()
    ]
    return "\n".join(lines)


def sweeps(result: dict) -> str:
    """What τ, λ and the make-up of the batches cost, one row a setting."""
    lines = ["| what varies | setting | STS average (all) | mean cosine | effective rank |", "|---|---|---:|---:|---:|"]
    for sweep in result["sweeps"].values():
        for i, (label, point) in enumerate(sweep["points"].items()):
            geometry = point["geometry"]
            lines.append(
                f"| {sweep['varies'] + ', ' + sweep['recipe'] if i == 0 else ''} | {label} | "
                f"{spread(point['average']['all'])} | {spread(geometry['mean_cosine'], 3)} | "
                f"{spread(geometry['effective_rank'], 1)} |"
            )
    lines += [
        "",
        f"Encoder {result['encoder']}, {result['rows']:,} rows of SNLI train, seeds {list(result['seeds'])}: "
        f"mean ± standard deviation; one thread of {result['ran_on'].split(',')[0]}.",
    ]
    return "\n".join(lines)


def latency(result: dict) -> str:
    """How fast the sliders answer; the slowest of each kind."""
    who = {"browser": "computed in the browser", "kernel": "answered by the kernel"}
    lines = ["| sliders | how many | slowest median | slowest 95 % | target |", "|---|---:|---:|---:|---:|"]
    for kind, found in result["by_kind"].items():
        if found["sliders"]:
            target = result["targets"][kind]
            lines.append(
                f"| {who[kind]} | {found['sliders']} | {found['slowest_median_ms']:.0f} ms | "
                f"{found['slowest_p95_ms']:.0f} ms | {target['median_ms']} / {target['p95_ms']} ms |"
            )
    rates = [s["frames_a_second"] for s in result["sliders"] if "frames_a_second" in s]
    if rates:
        lines += ["", f"Live training: {min(rates):.1f} frames a second in the slowest lesson."]
    lines += ["", f"Measured on {result['date']}, {result['hardware']}."]
    return "\n".join(lines)


def systems(result: dict) -> str:
    """Every recipe on text of one size, then what the papers' code does otherwise."""
    lines = [
        "| recipe | STS average, its paper's convention | STS average (all) | mean cosine | effective rank | "
        "sentences seen |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    before = result["before"]["mean"]
    lines.append(
        f"| *as pretrained, mean pooling* | – | {spread(before['average']['all'])} | "
        f"{spread(before['geometry']['mean_cosine'], 3)} | "
        f"{spread(before['geometry']['effective_rank'], 1)} | – |"
    )
    for name, entry in result["recipes"].items():
        kind, geometry = entry["convention"], entry["geometry"]
        lines.append(
            f"| {name} | {spread(entry['average'][kind])} ({kind}) | {spread(entry['average']['all'])} | "
            f"{spread(geometry['mean_cosine'], 3)} | {spread(geometry['effective_rank'], 1)} | "
            f"{entry['sentences']:,} |"
        )
    lines += [
        "",
        "| paper and code | the paper says | its code does | code − paper, 95 % interval |",
        "|---|---|---|---:|",
    ]
    for name, pair in result["pairs"].items():
        lines.append(
            f"| {name} ({pair['recipe']}) | {pair['paper_says']} | {pair['code_does']} | "
            f"{between(pair['difference'])} ({pair['convention']}) |"
        )
    lines += [
        "",
        f"Encoder {result['encoder']}, preset {result['preset']}, seeds {list(result['seeds'])}: mean ± "
        "standard deviation; about 15,000 pairs of SNLI and MNLI, or long documents. In the second table shuffled "
        "rows, anchor per row and constant rate are on 45,000 rows of SNLI, ghost logit is on half of the anchors, and "
        f"annealing reset has 10 % of the labels. Measured on {ran_on(result)}. Settings were chosen on "
        f"{result['chosen_on']}, or are those of the recipe that they vary ([which](#which-settings)).",
    ]
    return "\n".join(lines)


def ran_on(result: dict) -> str:
    """The processor, and which recipes and comparisons were measured anew on another."""
    usual, others = result["ran_on"].split(",")[0], {}
    for name, entry in (result["recipes"] | result["pairs"]).items():
        other = entry.get("measured", {}).get("hardware", usual).split(",")[0]
        if other != usual:
            others.setdefault(other, []).append(name)
    anew = (f"of {of}: {', '.join(f'`{name}`' for name in them)}" for of, them in others.items())
    return "; ".join([f"one thread of {usual}", *anew])


def benchmarks(result: dict) -> str:
    """Ours beside its peers: the rows with a peer or a target, then what was not measured, and where."""
    rows = [row for row in with_notes(result) if row["peer"] or row["target"]]
    waiting, met = result["not_measured"], [row["met"] for row in rows if row["target"]]
    notes = list(dict.fromkeys(note for row in rows for note in row["notes"]))
    lines = ["| what | setting | ours | peer | theirs | ratio | target | |", "|---|---|---:|---|---:|---:|---:|---|"]
    for row, before in zip(rows, [None, *rows]):
        what = "" if before and before["what"] == row["what"] else row["what"]  # said once
        lines.append(f"| {what} | {' | '.join(benchmark_cells(row, notes))} |")
    lines += [
        f"| {row['what']} | {row['setting']} | not measured: {row['why']} | {row['peer'] or '–'} | – | – | "
        f"{row['target']} | `{row['command']}` |"
        for row in waiting
    ]
    lines += [
        "",
        f"{len(met) + len(waiting)} targets: {met.count(True)} met, {met.count(False)} not met, "
        f"{len(waiting)} not measured; judged before rounding. {measured_where(list(result['programs'].values()))}",
    ]
    if result["failed"]:
        lines[-1] += f" Left out, as the program failed: {', '.join(result['failed'])}."
    return "\n".join([*lines, *([""] if notes else []), *(f"{i}. {note}" for i, note in enumerate(notes, 1))])


def with_notes(benchmarks: dict) -> list[dict]:
    """The rows, each with its notes: its own, and its machine where that is not the one of most programs."""
    usual, rows = usual_machine(benchmarks), []
    for entry in benchmarks["programs"].values():
        where = "" if machine(entry) == usual else f"measured on {machine(entry)}, not on {usual}"
        for row in entry["rows"]:
            # A share recorded without its range has two medians in its note, which are of no one turn.
            own = "" if row["note"].endswith("GFLOP/s") and row["lowest"] is None else row["note"]
            rows.append(row | {"notes": [note for note in (own, where) if note]})
    return rows


def machine(entry: dict) -> str:
    return entry["hardware"].split(",")[0]


def usual_machine(benchmarks: dict) -> str:
    """The machine that most of the programs ran on."""
    return statistics.mode(map(machine, benchmarks["programs"].values()))


def benchmark_cells(row: dict, notes: list[str]) -> list[str]:
    """Setting, ours, peer, theirs, ratio, target and verdict of one measured row; notes: those under the table."""
    setting = row["setting"] + (f" (measured {row['repetitions']}×)" if row["repetitions"] < 5 else "")
    setting += f" <sup>{', '.join(str(notes.index(note) + 1) for note in row['notes'])}</sup>" if row["notes"] else ""
    theirs = "–" if row["theirs"] is None else quantity(row["theirs"])
    around = (
        ""
        if row["lowest"] is None or row["repetitions"] == 1
        else (f" [{quantity(row['lowest'])}, {quantity(row['highest'])}]")
    )
    ours, ratio = f"{quantity(row['ours'])} {row['unit']}", "–"
    if row["ratio"] is None:
        ours += around
    else:
        ratio = quantity(row["ratio"]) + around
    return [setting, ours, row["peer"] or "–", theirs, ratio, row["target"] or "–", VERDICTS[row["met"]]]


def measured_where(programs: list[dict]) -> str:
    """Machines, days, versions of the peers and the load before each program."""

    def all_of(values, joint: str = ", ") -> str:
        return joint.join(dict.fromkeys(value for value in values if value))

    if not programs:
        return "Nothing was measured yet."
    versions = all_of(
        f"{package} {number}"
        for entry in programs
        for package, number in entry["versions"].items()
        if package in ("torch", "transformers", "sentence-transformers", "pytorch-metric-learning")
    )
    # The sliders' program copies its rows: what was running then slowed nothing.
    measuring = [entry for entry in programs if not entry.get("command", "").endswith("sliders.py")]
    loads = [entry["load_average"] for entry in measuring if entry["load_average"] is not None]
    load = f"; load average before each program {min(loads):.1f} to {max(loads):.1f}" if loads else ""
    return (
        f"{all_of((entry['hardware'] for entry in programs), ' and ')}; {versions}; "
        f"{all_of(entry['date'] for entry in programs)}{load}."
    )


def quantity(value: float) -> str:
    """Three digits that count, thousands with commas: 0.0123, 4.56, 78.9, 12,345; 1.23e-07."""
    if not math.isfinite(value) or abs(value) < 1e-5:
        return f"{value:.3g}"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:,.{max(0, digits)}f}"


def headlines() -> str:
    """Seven results in a sentence each, with links to their tables."""
    names = (
        *("foundation", "claims", "encoders", "evaluation_proof", "benchmarks"),
        *("encoders-kit-bert-mini", f"encoders-{LONGER}", "means"),
    )
    if any(not (RESULTS / f"{name}.json").exists() for name in names):
        return NOT_MEASURED
    foundation, claims, encoders, proof, speed, larger, longer, means_of_runs = map(result, names)
    return "\n".join(
        f"- {sentence} [{link}](docs/results.md#{anchor})"
        for sentence, link, anchor in (
            (contrast_headline(foundation), "By task", "cross-entropy-alone-and-with-contrast"),
            (claims_headline(claims), "Claim by claim", "what-the-papers-claim-and-what-came-of-it-here"),
            (encoder_headline(encoders, foundation), "By start and recipe", "what-the-bundled-encoders-are-worth"),
            (best_headline(larger, means_of_runs), "By what it was trained on", "the-larger-one"),
            (
                longer_headline(longer, larger, means_of_runs),
                "Beside the other",
                "the-larger-one-pretrained-for-longer",
            ),
            (proof_headline(proof), "Task by task", "is-the-evaluation-right"),
            (
                speed_headline(speed, *(result(f"benchmarks-{name}") for name in OTHER_MACHINES)),
                "Beside which peer, and how measured",
                "how-fast-beside-others",
            ),
        )
    )


def contrast_headline(found: dict) -> str:
    sbert, scl = (found["summary"][name]["average"]["wmean"] for name in ("sbert", "scl"))
    gap = found["scl_minus_sbert_wmean"]
    lifts = "lifts" if gap["low"] > 0 else "lowers" if gap["high"] < 0 else "is not shown to change"
    return (
        f"**Contrast {lifts} STS.** Cross-entropy alone reaches {spread(sbert)} on the seven STS tasks, and with "
        f"contrast it reaches {spread(scl)}: {between(gap)} points. On STS12–16 the difference is "
        f"{between(of_years(found))}; the paper has +2.83 there, with a larger encoder."
    )


def of_years(found: dict) -> dict:
    """SCL − SBERT on STS12–16 (wmean), the tasks of its paper: mean and interval over the seeds."""
    from measuring import mean_interval

    scores: dict[tuple[str, int], float] = {}
    for run in found["runs"]:
        tasks = run["sts"]["tasks"]
        scores[run["recipe"], run["seed"]] = statistics.fmean(tasks[f"STS{year}"]["wmean"] for year in range(12, 17))
    return mean_interval([scores["scl", seed] - scores["sbert", seed] for kind, seed in scores if kind == "scl"])


def claims_headline(found: dict) -> str:
    told = f"{verdicts_said(found)}, by a rule that was settled when the figures were known.{larger_headline(found)}"
    return f"**Of the papers' {len(found['claims'])} claims** {told}"


def verdicts_said(found: dict) -> str:
    """ "7 replicate, 6 are contradicted, 8 are undecided and 2 are not comparable"."""
    verdicts = [claim["verdict"] for claim in found["claims"].values()]
    *first, last = (f"{verdicts.count(kind)} {says}" for kind, says in CLAIMS_SAY.items())
    return f"{', '.join(first)} and {last}"


def larger_headline(found: dict) -> str:
    """How many claims were measured from the larger encoder too, and which come out otherwise; and from a third."""
    if not (RESULTS / f"{LARGER}.json").exists():
        return ""
    claims = result(LARGER)["claims"]
    other = [name for name, claim in claims.items() if claim["verdict"] != found["claims"][name]["verdict"]]
    same = f"the same for all but {', '.join(other)}" if other else "the same for all"
    many = "All" if len(claims) == len(found["claims"]) else len(claims)
    told = f" {many} of them were measured from the larger `kit-bert-mini` too: the verdict is {same}"
    boards = {name: entries(check_version(result(name))) for name in (LARGER, f"claims_{LONGER}")}
    boards = {"claims": entries(check_version(found))} | boards
    two = dict(list(boards.items())[:2])
    told += "".join(f"; {name} is contradicted from each by another comparison" for name in contradicted_apart(two))
    always = [name for name in shared_claims(boards) if {b[name].verdict for b in boards.values()} == {"contradicted"}]
    firm = [name for name in always if name not in contradicted_apart(boards)]
    return (
        f"{told}. From `{LONGER}` {verdicts_said(result(f'claims_{LONGER}'))}. "
        f"Contradicted from all three: {', '.join(firm) or 'none'}; contradicted from one and replicated from another: "
        f"{', '.join(turned_round(boards)) or 'none'}."
    )


def encoder_headline(found: dict, foundation: dict) -> str:
    def tuned(start: str) -> str:
        runs = (run for run in found["finetuned"] if (run["start"], run["recipe"]) == (start, "scl"))
        return spread_of([run["sts"]["average"]["all"] for run in runs])

    model, without = found["models"]["kit-bert-tiny"], foundation["before"]["sts"]["average"]["all"]
    raw, white = model["raw_sts"]["mean"]["average"]["all"], model["whitened_sts"]["average"]["all"]
    return (
        f"**kit-bert-tiny**, the encoder of the lessons, has {raw:.2f} on the seven STS tasks as pretrained "
        f"({without:.2f} without [CLS], as SCL pools), {white:.2f} whitened, and {tuned('kit-bert-tiny')} after SCL. "
        f"The same architecture reaches {tuned('random')} after SCL from random weights. Here each task is one "
        "correlation over all its pairs; in the first of these lines it is the weighted mean of its parts."
    )


def best_headline(found: dict, means_of_runs: dict) -> str:
    """The larger encoder after the recipe that serves it best, and the best mean of several runs of it."""
    averages = averages_of(found, "kit-bert-mini")
    name = max(averages, key=lambda recipe: statistics.fmean(averages[recipe]))
    arms = {name: arm for name, arm in means_of_runs["arms"].items() if name.startswith("mini")}
    arm = max(arms, key=lambda name: arms[name]["mean"]["all"])
    best, single = arms[arm]["mean"]["all"], arms[arm]["single"]
    more = "score more" if best > max(single) else "do not score more"
    raw = found["models"]["kit-bert-mini"]["raw_sts"]["mean"]["average"]["all"]
    return (
        f"**kit-bert-mini**, the larger one, has {raw:.2f} as pretrained and {spread_of(averages[name])} after "
        f"`{name}`, the highest mean of the trainings tried. Several runs that began from it {more} as one encoder, "
        f"whose every weight is the mean of theirs: {best:.2f} from {len(single)} runs ({named(arm)}), the highest of "
        f"{len(arms)} such means, picked by these tasks.{best_of_scl(arms)}"
    )


def longer_headline(found: dict, before: dict, means_of_runs: dict) -> str:
    """The larger encoder pretrained for longer, beside itself before that: guessing words, and after training."""
    from measuring import mean_interval

    arms = {name: arm for name, arm in means_of_runs["arms"].items() if arm["start"] == LONGER}
    in_order = sorted(arms, key=lambda name: arms[name]["mean"]["all"])
    highest = {arms[name]["recipe"]: name for name in in_order}
    means = (f"{arms[name]['mean']['all']:.2f} (`{named(name)}`)" for name in reversed(highest.values()))
    stretch = json.loads((ROOT / "data" / "models" / LONGER / "training.json").read_text("utf-8"))["speed"]
    usual = "kit-bert-mini"
    longer, there, random = averages_of(found, LONGER), averages_of(before, usual), averages_of(found, "random")
    losses = [one["models"][name]["heldout"]["all"]["loss"] for one, name in ((found, LONGER), (before, usual))]
    by_kind = [[name for name in longer if name.startswith(kind)] for kind in ("simcse", "scl")]
    best = [max(names, key=lambda name: statistics.fmean(longer[name])) for names in by_kind]
    scores = (
        f"{spread_of(longer[name])} after `{name}`" + (f" ({usual}: {spread_of(there[name])})" if name in there else "")
        for name in best
    )
    worth = (
        f"{between(mean_interval([one - other for one, other in zip(longer[name], random[name])]))} (`{name}`)"
        for name in ("simcse", "scl")
    )
    return (
        f"**{LONGER}** is {usual} after {stretch['tokens'] / 1e9:.1f} billion tokens more of the same text, "
        "padding included, in "
        f"{stretch['seconds'] / 60:.0f} minutes on one {stretch['hardware']}. On hidden words its held-out loss is "
        f"{losses[0]:.2f}, in place of {losses[1]:.2f}. It has {' and '.join(scores)}: the highest "
        f"means of the {len(by_kind[0])} SimCSE and the {len(by_kind[1])} SCL trainings tried. Beside random "
        "weights of its shape, trained for as many steps at the same rate, "
        "pretraining is worth, in points, "
        f"{' and '.join(worth)}."
        + (f" As one encoder, the mean of three runs' weights, it has at most {' and '.join(means)}." if arms else "")
    )


def averages_of(found: dict, start: str) -> dict[str, list[float]]:
    """Recipe → the averages of its runs from `start`, seed by seed."""
    averages: dict[str, list[float]] = {}
    for run in sorted(found["finetuned"], key=lambda run: run.get("seed") or 0):
        if run["start"] == start:
            averages.setdefault(run["recipe"], []).append(run["sts"]["average"]["all"])
    return averages


def best_of_scl(arms: dict) -> str:
    """The best mean of runs by the recipe of Liao's paper; "" where none was measured."""
    of_scl = [arm for arm in arms.values() if arm["recipe"] == "scl"]
    if not of_scl:
        return ""
    best = max(of_scl, key=lambda arm: arm["mean"]["all"])
    return f" Of those trained by SCL the highest is {best['mean']['all']:.2f}, from {len(best['single'])} runs."


def proof_headline(found: dict) -> str:
    off = max(abs(row["difference"]) for row in found["tasks"].values())
    right = "is right" if off <= found["tolerance"] else "is off"
    return (
        f"**The evaluation {right}**: all-MiniLM-L6-v2 gets the figures that MTEB publishes for "
        f"{len(found['tasks'])} STS tasks, to within {off:.3f} points."
    )


OTHER_MACHINES = ("intel-without-amx", "intel-with-amx", "amd-without-avx-512", "amd-at-a-busy-hour")


def speed_headline(usual: dict, other: dict, with_amx: dict, older: dict, busy: dict) -> str:
    """Training beside sentence-transformers on four machines, with the targets that each met or missed; and once more
    on the first, busy."""
    training = [row for row in rows_of(usual) if row["what"] == "training" and row["peer"]]
    ratios, in_tiles = (
        [row["ratio"] for row in beside_defaults(one) if "in bf16" in row["setting"]] for one in (usual, with_amx)
    )
    alike = [row["ratio"] for row in training if row["peer"].endswith("eager attention") or "fp32 on" in row["setting"]]
    there, without_avx_512 = ([row["ratio"] for row in beside_defaults(one)] for one in (other, older))
    return (
        f"**Training on a CPU** ({usual_machine(usual)}, two threads, both bundled sizes, batches of 64 and 256) is "
        f"{min(ratios):.1f} to {max(ratios):.1f} times as fast as "
        f"sentence-transformers with its defaults (bf16 against fp32), and {min(alike):.1f} to {max(alike):.1f} times "
        f"at equal precision. Beside the same defaults it is {min(in_tiles):.1f} to {max(in_tiles):.1f} times as fast "
        f"on an Intel Xeon with AMX; {min(there):.1f} to {max(there):.1f} times on one without, and "
        f"{min(without_avx_512):.1f} to {max(without_avx_512):.1f} times on an AMD without AVX-512, both in fp32. "
        f"{targets_said(usual, other)} {missed_by('Xeon with AMX', with_amx)} "
        f"{missed_by('AMD without AVX-512', older)} {busy_said(busy)}"
    )


def beside_defaults(benchmarks: dict) -> list[dict]:
    """The rows of training beside sentence-transformers as it is by itself, in fp32."""
    return [
        row for row in rows_of(benchmarks) if row["what"] == "training" and row["peer"].endswith("its defaults, fp32")
    ]


def targets_said(usual: dict, other: dict) -> str:
    """How many targets were met on which machine; twice measured are those of the usual one that the other has too."""
    at_home = usual_machine(usual)

    def met_in(benchmarks: dict, names: Iterable[str]) -> list[bool]:
        return [row["met"] for name in names for row in benchmarks["programs"][name]["rows"] if row["target"]]

    home = [name for name, entry in usual["programs"].items() if machine(entry) == at_home]
    met, here = met_in(usual, usual["programs"]), len(met_in(usual, home))
    gpu = len(met_in(usual, [name for name in usual["programs"] if name.endswith("_gpu")]))
    both, waiting = [name for name in home if name in other["programs"]], len(usual["not_measured"])
    twice = [row for name in both for row in other["programs"][name]["rows"] if row["target"]]
    missed = [row for row in twice if not row["met"]]
    unmet = dict.fromkeys(row["what"] for row in rows_of(usual) if row["target"] and not row["met"])
    lacking = f"{met.count(False) or 'none'} {'are' if met.count(False) > 1 else 'is'} missed"
    lacking += f" ({', '.join(f'`{what}`' if what == 'make test' else what for what in unmet)})" * bool(unmet)
    lacking += read_anew(usual)
    told = f"Of the {len(twice)} measured on both, the Xeon without AMX misses {len(missed)}"
    if missed and len({(row["what"], row["peer"], row["target"]) for row in missed}) == 1:
        some = missed[0]
        told += (
            f", all of {some['what']} beside {some['peer']}: {min(row['ratio'] for row in missed):.1f} to "
            f"{max(row['ratio'] for row in missed):.1f}, where {some['target']} was asked"
        )
    return (
        f"Of {len(met) + waiting} targets for speed, memory and accuracy, {met.count(True)} are met, "
        f"{lacking} and {waiting} await a GPU; {here} were measured on the {at_home}, "
        + f"{gpu} on a GPU, " * bool(gpu)
        + f"{len(met) - here - gpu} on a Xeon alone. {told}."
    )


def read_anew(usual: dict) -> str:
    """What is met only as read anew after it had been missed: encoding beside the best of the runtimes themselves."""
    rows = rows_of(usual)
    kept = {row["setting"]: row for row in rows if row["what"] == "encode beside backends" and row["met"]}
    best = [row for row in rows if row["what"] == "encode beside runtimes" and row["peer"].endswith("(the best)")]
    asked = [(row["ratio"], kept[row["setting"]]["target"]) for row in best if row["setting"] in kept]
    missed = [ratio for ratio, target in asked if ratio < float(target.removeprefix("≥ "))]
    if not missed:
        return ""
    return (
        f" ({len(missed)} of the met only as read anew after they had been missed: beside the best of onnxruntime and "
        f"OpenVINO themselves, encoding is {min(missed):.2f} to {max(missed):.2f} times as fast)"
    )


def busy_said(busy: dict) -> str:
    met = [row["met"] for row in rows_of(busy) if row["target"]]
    return f"At a busy hour of the first EPYC {met.count(False) or 'none'} of the {len(met)} for training were missed."


def missed_by(name: str, benchmarks: dict) -> str:
    """The targets that a machine missed, by the kind of work."""
    aimed = [row for row in rows_of(benchmarks) if row["target"]]
    missed = Counter(row["what"] for row in aimed if not row["met"])
    each = "; ".join(f"{what.split(',')[0]}: {count}" for what, count in missed.items())
    return f"The {name} misses {missed.total() or 'none'} of {len(aimed)}{f' ({each})' if each else ''}."


def rows_of(benchmarks: dict) -> list[dict]:
    return [row for entry in benchmarks["programs"].values() for row in entry["rows"]]


def hard_use(found: dict) -> str:
    """What was killed, doubled and damaged, and what came of it."""
    if "storage" not in found:
        return NOT_MEASURED
    storage = found["storage"]
    pairs, damages, saves = storage["pairs"], storage["damages"], storage["saves"]
    refused = pairs["refused_while_in_use"] + pairs["refused_as_another_run"]
    lost = pairs["checkpoints_lost"]
    lines = [
        "| what | tried | what came of it | right in the end |",
        "|---|---:|---|---:|",
        f"| two processes on one run folder | {pairs['pairs']} pairs, {pairs['kills']} kills | {refused} refused in "
        f"a sentence, {lost} checkpoints lost | {pairs['ended_bit_for_bit']} of {pairs['pairs']} |",
    ]
    for kind, some in damages["by_kind"].items():
        lines.append(
            f"| a run folder with {KINDS_OF_DAMAGE[kind]} | {some['damages']} | {some['harmless']} harmless; told: "
            f"{some['told_and_an_older_one_used']} used the checkpoint before, {some['told_and_begun_anew']} began "
            f"anew | {some['ended_bit_for_bit']} of {some['damages']} |"
        )
    for way, said in WAYS_TO_KILL.items():
        if way in saves:
            held, kills = saves[way]["held"], saves[way]["kills"]
            right = held.get("old", 0) + held.get("new", 0)
            whole = f"{held.get('old', 0)} times the old model whole, {held.get('new', 0)} times the new"
            lines.append(f"| a model saved over another, killed {said} | {kills} | {whole} | {right} of {kills} |")
        else:
            why = "not measured: strace is not installed"
            lines.append(f"| a model saved over another, killed {said} | – | {why} | – |")
    used = f"{damages['newest_whole_used']} of {damages['damages']}"
    lines += [
        "",
        "Right in the end: losses and weights bit for bit those of a run that nobody disturbed; for a save, a whole "
        f"model under its name. The newest whole checkpoint was used {used} "
        f"times. A tiny BERT, {storage['steps']} steps, a checkpoint every {storage['checkpoint_every']}; "
        f"{storage['hardware']}; torch {storage['versions']['torch']}; {storage['date']}.",
    ]
    return "\n".join(lines)


def hard_inputs(found: dict) -> str:
    """What public functions and model folders did with hostile input."""
    if "values" not in found:
        return NOT_MEASURED
    values, folders = found["values"], found["folders"]
    return "\n".join(
        (
            "| what | tried | what came of it | wrong |",
            "|---|---:|---|---:|",
            f"| hostile values for {values['arguments']} arguments of {values['functions']} public functions | "
            f"{values['cases']:,} | {values['one_sentence']:,} refused in one sentence, "
            f"{values['returned_with_a_reason']:,} answered, each for a reason that is listed | "
            f"{len(values['offenders'])} |",
            f"| model folders with foreign code, pickles or damaged weights, a reader who answers yes | "
            f"{folders['tried']} | {folders['refused']} refused in one sentence, {folders['loaded']} loaded without "
            f"running its code, {folders['questions']} questions asked | {folders['code_ran']} |",
        )
    )


KINDS_OF_DAMAGE = {
    "a bit flipped": "a bit flipped",
    "cut short": "a file cut short",
    "two files swapped": "two files swapped",
    "JSON edited": "JSON edited",
    "a file missing": "a file missing",
    "folders renamed": "checkpoints renamed",
}
WAYS_TO_KILL = {
    "before_each_call_of_python": "before each call of Python's",
    "at_each_call_of_the_system": "at each call of the system",
}


def leakage(found: dict) -> str:
    """Test sentences in the text that the runs were trained on, and the scores on pairs without any."""
    systems, alike = found["systems"], trained_alike(found["systems"])
    heads = [head for names in alike for head in (f"trained on by {' and '.join(names)}", "pairs with one")]
    lines = [f"| | sentences | pairs | {' | '.join(heads)} |", "|---|" + "---:|" * (2 + len(heads))]
    for task, one in systems[alike[0][0]]["runs"][0]["tasks"].items():
        cells = [
            reached(run["tasks"][task][what] for run in systems[names[0]]["runs"])
            for names in alike
            for what in ("seen_sentences", "pairs_with_one")
        ]
        lines.append(f"| {task} | {one['sentences']:,} | {one['pairs']:,} | {' | '.join(cells)} |")
    lines += [
        "",
        "| average of the seven tasks (all) | all pairs | pairs of new sentences | difference, 95 % interval over "
        "seeds | the raw encoder's | beside it, 95 % interval over seeds |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, system in systems.items():
        whole, new, apart = (system[part]["average"] for part in ("whole", "new", "difference"))
        raw = system["raw"]["difference"]["average"]["mean"]
        row = (name, spread(whole), spread(new), between(apart), f"{raw:+.2f}", between(system["beside_raw"]))
        lines.append(f"| {' | '.join(row)} |")
    lines += [
        "",
        f"Encoder {found['encoder']}, trained on a sample of about 15,000 pairs of SNLI and MNLI, the same with each "
        f"of the seeds {found['seeds']}; SimCSE takes triplets of it, which the seed draws. A sentence is new to a run "
        "if the run's own text does not have it, in any case and punctuation; all of SNLI and MNLI holds more of the "
        "tests' sentences. Other pairs are easier or harder, so read a difference beside that of the raw encoder on "
        "the same pairs. The raw encoder was trained on none of these texts (though its pretraining text holds "
        "sentences of SNLI, see its card). Raw and simcse pool with [CLS], sbert and scl without it. Machine: "
        f"{found['hardware']}; runs on another differ a little, as those in the table of all recipes do.",
    ]
    return "\n".join(lines)


def trained_alike(systems: dict) -> list[list[str]]:
    """The names of the systems, those together whose runs have seen the same of every test."""
    groups: list[list[str]] = []
    for name, system in systems.items():
        same = next((names for names in groups if systems[names[0]]["runs"] == system["runs"]), None)
        groups.append([name]) if same is None else same.append(name)
    return groups


def reached(counts: Iterable[int]) -> str:
    """ "371", or from the smallest count of the runs to the largest: "120 to 131"."""
    found = list(counts)
    low, high = min(found), max(found)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def trained_on(found: dict) -> str:
    """What text each recipe was trained on, in as many words as a line under a table has."""
    texts: dict[str, str] = {}
    for run in found["finetuned"]:
        if run["recipe"] != "none":
            sources = [line for line in run["data"] if not line.startswith("Of these ")]  # what was made of them
            texts[run["recipe"]] = " and ".join(map(in_short, sources))
    alike = {text: ", ".join(name for name in texts if texts[name] == text) for text in texts.values()}
    told = "; ".join(f"{recipes} on {text}" for text, recipes in alike.items())
    others = "[Every recipe on text of one size](#every-recipe-on-text-of-one-size)"
    return f"Trained: {told}. {others} has about 15,000 pairs."


def learning_rates(runs: list[dict]) -> str:
    """The rates that the trainings had, and where another was chosen since."""
    from results_encoders import FINETUNING

    from kit.training import recipe

    told, trained = [], {run["recipe"]: run for run in runs if run["start"].startswith("kit-")}
    for name, run in trained.items():
        own = "lr" in FINETUNING.get(name, (None, None, {}))[2]  # a variant's own rate, which no choice replaces
        rate, base = run["settings"]["lr"], run["settings"].get("name", name)
        now = recipe(base, "laptop", run["start"]).lr
        told.append(f"{name} {rate:g}" + (f" ({now:g} was chosen since)" if now != rate and not own else ""))
    variants = "".join(f" {name}: {what}" for name, what in VARIANTS.items() if name in trained)
    return f"Learning rates: {', '.join(told)}.{variants}"


def poolings(found: dict) -> str:
    """Each encoder, read with every pooling; then what a head is worth."""
    from measuring import mean_interval

    names = {"cls": "[CLS]", "mean": "mean", "first_last": "first and last"}
    lines = [
        f"| recipe | head | trained with | {' | '.join(f'read with {name}' for name in names.values())} |",
        "|---|---|---|---:|---:|---:|",
    ]
    worth = []
    for recipe, systems in found["systems"].items():
        for trained_with, heads in systems.items():
            for head, figures in heads.items():
                read = {name: spread(figure) for name, figure in figures["read_with"].items()}
                read[trained_with] = f"**{read[trained_with]}**"
                lines.append(f"| {recipe} | {head} | {names[trained_with]} | {' | '.join(read.values())} |")
            without, beside = (one["read_with"][trained_with]["seeds"] for one in heads.values())
            gain = mean_interval([after - before for before, after in zip(without, beside)])
            worth.append(f"{between(gain)} ({recipe}, {names[trained_with]})")
    raw = " | ".join(f"{found['raw'][name]:.2f}" for name in names)
    return "\n".join(
        (
            *lines,
            f"| *untrained* | | | {raw} |",
            "",
            "In bold: read with what it was trained with. A head in training is worth, in points and with the 95 % "
            f"interval over seeds: {', '.join(worth)}.",
            "",
            f"STS average (all) of {found['encoder']}, {found['rows']:,} pairs of SNLI and MNLI, seeds "
            f"{found['seeds']}: "
            "mean ± standard deviation. The rates were chosen for the mean and no head. "
            f"{found['ran_on'].split(',')[0]}, one thread.",
        )
    )


TABLES = {
    "leakage": leakage,
    "poolings": poolings,
    "means": means,
    "foundation": foundation,
    "encoders": encoders,
    "encoders-kit-bert-mini": encoders,
    f"encoders-{LONGER}": encoders,
    "choices": choices,
    "choices-kit-bert-mini": choices,
    f"choices-{LONGER}": choices,
    "evaluation_proof": proof,
    "sweeps": sweeps,
    "systems": systems,
    "claims": claims,
    LARGER: sizes,
    f"claims_{LONGER}": sizes,
    "latency": latency,
    "benchmarks": benchmarks,
    "benchmarks-intel-without-amx": benchmarks,
    "benchmarks-intel-with-amx": benchmarks,
    "benchmarks-amd-without-avx-512": benchmarks,
    "benchmarks-amd-at-a-busy-hour": benchmarks,
    "hard_use": hard_use,
    "hard_inputs": hard_inputs,
}


def spread(figure: dict, digits: int = 2) -> str:
    """Mean ± standard deviation; the mean alone where one seed ran."""
    deviation = f" ± {figure['sd']:.{digits}f}" if "sd" in figure else ""
    return f"{figure['mean']:.{digits}f}{deviation}"


def between(figure: dict) -> str:
    """Mean with its 95 % interval."""
    return f"{figure['mean']:+.2f} [{figure['low']:+.2f}, {figure['high']:+.2f}]"


def spread_of(values: list[float]) -> str:
    from measuring import mean_interval

    return spread(mean_interval(values))


def result(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def filled(text: str, name: str, content: str) -> str:
    """The text with `content` between the marks of `name`."""
    pattern = rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)"
    text, found = re.subn(pattern, lambda m: m[1] + content + m[2], text, flags=re.DOTALL)
    assert found == 1, f"expected one pair of <!-- {name} --> marks, got {found}"
    return text


def with_tables(text: str) -> str:
    """docs/results.md with every table as the results files have it."""
    for name, table in TABLES.items():
        there = (RESULTS / f"{name}.json").exists()
        text = filled(text, name, table(result(name)) if there else NOT_MEASURED)
    return text


def with_headlines(text: str) -> str:
    """README.md with the headline results as the files have them."""
    return filled(text, "headlines", headlines())


PAGES = {ROOT / "docs" / "results.md": with_tables, ROOT / "README.md": with_headlines}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="only say whether text and results agree")
    check = options.parse_args().check
    written = {path: write(path.read_text("utf-8")) for path, write in PAGES.items()}
    stale = [path.name for path, text in written.items() if text != path.read_text("utf-8")]
    if check and stale:
        sys.exit(f"{' and '.join(stale)} and data/results disagree: run scripts/render_results.py")
    if not check:
        for path, text in written.items():
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
