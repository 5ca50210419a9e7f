"""The tables of docs/results.md on how settings were chosen."""

from __future__ import annotations

KNOWN = ("recipe", "lr", "dropout", "choosing", "by_source", "by_seed", "stsb_validation", "steps", "seconds")


def choices(found: dict) -> str:
    """Every setting that was tried, the chosen one in bold, and what was tried alone beside it."""
    sources = list(found["tried"][0]["by_source"])
    lines = [
        f"| recipe | setting | {' | '.join(f'{name}, pairs in no test' for name in sources)} | mean of the two | the "
        "usual way: STS-B validation |",
        f"|---|---|{'---:|' * (len(sources) + 2)}",
    ]
    for row in [*found["tried"], *found.get("beside", [])]:
        scores = [*row["by_source"].values(), row["choosing"], row["stsb_validation"]]
        cells = [row["recipe"], _setting(row), *(f"{score:.2f}" for score in scores)]
        chosen = row == found["best"][row["recipe"]]
        lines.append("| " + " | ".join(f"**{cell}**" if chosen else cell for cell in cells) + " |")
    custom = {name: _setting(best) for name, best in found["custom_best"].items() if best != found["best"][name]}
    would = "; ".join(f"for {name} {setting}" for name, setting in custom.items()) or "the same"
    documents = " (long documents for declutr)" if "declutr" in found["best"] else ""
    lines += [
        "",
        f"Encoder {found['encoder']}, weights {found['weights']}; {found['rows']:,} pairs of NLI{documents} "
        f"unless a row says otherwise, {_seeds(found['seeds'])}. Spearman ×100. "
        f"What was chosen by the rule above, from the mean of the two, is in bold. "
        f"STS-B validation would have chosen {would}.{_on_tests(found)}",
    ]
    return "\n".join(lines)


def _on_tests(found: dict) -> str:
    """What the two choices came to on the tests, where they differ."""
    differ = {
        name: one["custom_less_best"]
        for name, one in found.get("on_tests", {}).items()
        if found["best"][name] != found["custom_best"][name]
    }
    if not differ:
        return ""
    gains = (
        f"{name} {gap['mean']:+.2f}" + (f" [{gap['low']:+.2f}, {gap['high']:+.2f}]" if "low" in gap else "")
        for name, gap in differ.items()
    )
    return f" On the seven tests (all), looked at afterwards, its choice less ours: {', '.join(gains)}."


def _seeds(seeds: list[int]) -> str:
    """How many runs stand behind a row, and what that means."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}: one run a setting, so a few tenths are chance"
    return f"the mean of {len(seeds)} seeds"


def _setting(row: dict) -> str:
    """The rate and dropout of a row, and what else was changed in it."""
    more = [f"{name.replace('_', ' ')} {value}" for name, value in row.items() if name not in KNOWN]
    more = ["all NLI" if one == "data core" else one for one in more]
    return ", ".join([f"rate {row['lr']:g}", f"dropout {row['dropout']:g}", *more])
