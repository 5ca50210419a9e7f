"""The JavaScript of each board against the same mathematics in Python, over the whole range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module
from inspect import signature

import pytest

from kit.boards.board import modules, script
from kit.boards.conventions_widget import conventions_summary, conventions_values
from kit.boards.maps_widget import maps_values
from kit.boards.nnpu_widget import nnpu_values
from kit.boards.scale_widget import STARTS
from kit.boards.search_widget import search_summary, search_values
from kit.boards.spans_widget import RATIO, ROUNDS, spans_state, spans_values
from kit.boards.sphere_widget import run_of, sphere_state
from kit.boards.workshop_widget import workshop_values
from kit.data.spans import STRATEGIES
from kit.lesson import measured
from tests.browser.board_cases import CASES
from tests.browser.board_page import put
from tests.browser.test_board_looks import SPOKEN

# The board and its state cross into the page once; a setting of the controls is then a few numbers.
LOAD = """async ([text, state]) => {
    window.kitState = state;
    window.kitModule = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    const {receive} = window.kitModule.board, bytes = (one) => Uint8Array.from(atob(one), (c) => c.charCodeAt(0));
    const buffers = state.buffers?.map((one) => new DataView(bytes(one).buffer));
    window.kitGiven = receive && {ready: receive(buffers, state.names)};
}"""
# What is still called when a view of the board has been drawn and removed.
REMOVED = """async (controls) => {
    const kept = {state: window.kitState, controls, error: "", kernel: true, theme: "auto"}, heard = [];
    const model = {
        get: (name) => kept[name],
        set() {},
        save_changes() {},
        send() {},
        on: (name, call) => heard.push({name, call}),
        off: (name, call) => {
            const place = heard.findIndex((one) => one.name === name && one.call === call);
            if (place >= 0) heard.splice(place, 1);
        },
    };
    const remove = await window.kitModule.default.render({model, el: document.body}), put = heard.length;
    remove();
    return [put, heard.map((one) => one.name)];
}"""
SHOW = """([chosen, given_values, otherwise]) => {
    const {compute, draw, brief, lead, motion, summary} = window.kitModule.board;
    const state = window.kitState, given = window.kitGiven;
    const values = JSON.parse(JSON.stringify(compute(state, chosen, given))), figure = compute(state, chosen, given);
    const moving = {...figure, ...motion?.(figure, chosen, state)};
    const claim = lead?.(figure, chosen, state) ?? "";
    const texts = [...draw(moving, chosen, state), claim, brief(figure, chosen, state), summary(figure, chosen, state)];
    const spoken = new DOMParser().parseFromString(claim, "text/html").body.textContent;
    const said = summary(given_values, chosen, {...state, ...otherwise});
    return {values, spoken, said, lengths: texts.map((text) => text.length),
            bad: texts.flatMap((text) => text.match(/NaN|undefined|Infinity|\\[object|−0(\\.0+)?(?![.\\d])/g) ?? [])};
}"""
# What Python says of a board before there is a page: nothing trains yet, and nothing has been typed.
AT_FIRST = {"workshop": {"mode": "recorded"}}
CONTROLS = "() => window.kitModule.board.controls(window.kitState)"


def differences(ours, theirs, place: str = "") -> Iterator[str]:
    """Every place where two nested figures differ by more than 1e-4 of their size."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), f"{place}: {ours.keys() ^ theirs.keys()}"
        for key in ours:
            yield from differences(ours[key], theirs[key], f"{place}.{key}")
    elif isinstance(ours, (list, tuple)):
        assert len(ours) == len(theirs), f"{place}: {len(ours)} and {len(theirs)}"
        for i, (a, b) in enumerate(zip(ours, theirs)):
            yield from differences(a, b, f"{place}[{i}]")
    elif isinstance(ours, float) or isinstance(theirs, float):
        if theirs is None or not math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-4):
            yield f"{place}: {ours} in Python, {theirs} in the browser"
    elif ours != theirs:
        yield f"{place}: {ours!r} in Python, {theirs!r} in the browser"


def test_no_board_is_forgotten() -> None:
    assert CASES.keys() == set(modules())


@pytest.mark.parametrize("name", modules())
def test_browser_and_python_compute_and_say_the_same(name: str, blank) -> None:
    """At every case, the ends of each slider included, to 1e-4; nothing drawn is NaN or −0.00; headlines are short.

    Of the same numbers the summaries are the same, to the letter.
    """
    widget = import_module(f"kit.boards.{name}_widget")
    figure, summarise = getattr(widget, f"{name}_values"), getattr(widget, f"{name}_summary")
    state, chosen_list = CASES[name]()
    put(blank, LOAD, script(name), state)
    assert len(chosen_list) >= 8
    for chosen in chosen_list:
        values, otherwise = figure(state, chosen), AT_FIRST.get(name, {})
        shown = put(blank, SHOW, chosen, values, otherwise)
        assert list(differences(values, shown["values"])) == [], chosen
        if not (chosen.get("own") or values.get("blank")):
            given = [values, chosen, state | otherwise][: len(signature(summarise).parameters)]
            assert shown["said"] == summarise(*given), chosen
        assert len(shown["spoken"]) <= SPOKEN, shown["spoken"]
        *panels, summary = shown["lengths"]
        assert panels and summary > 40 and shown["bad"] == [], chosen


@pytest.mark.parametrize("name", modules())
def test_cases_reach_both_ends_of_every_slider(name: str, blank) -> None:
    """And buttons for settings choose what the sliders and menus have."""
    state, chosen_list = CASES[name]()
    put(blank, LOAD, script(name), state)
    controls = blank.evaluate(CONTROLS)
    there = {control["name"]: control for control in controls}
    named = [setting for control in controls if control["kind"] == "presets" for setting in control["options"].values()]
    for key, value in (pair for setting in named for pair in setting.items()):
        if there[key]["kind"] == "choice":
            assert value in there[key]["options"], key
        else:
            assert there[key]["min"] <= value and (value <= there[key]["max"] or name == "look"), key
    for control in controls:
        tried = [chosen[control["name"]] for chosen in chosen_list if control["name"] in chosen]
        if control["kind"] == "slider":
            assert min(tried) <= control["min"] and max(tried) >= control["max"], control
        if control["kind"] == "choice":
            assert set(tried) >= set(control["options"]), control


def test_printed_softmax_weights_add_up_to_one(blank) -> None:
    """Each rounded by itself they would be 1.01 in some settings: whoever adds them up finds the whole."""
    state, chosen_list = CASES["tau_lambda"]()
    put(blank, LOAD, script("tau_lambda"), state)
    drawn = """(chosen) => {
        const {compute, draw, motion} = window.kitModule.board, figure = compute(window.kitState, chosen);
        const moving = {...figure, ...motion(figure, chosen, window.kitState)};
        const page = new DOMParser().parseFromString(draw(moving, chosen, window.kitState)[1], "text/html");
        return [...page.querySelectorAll("[data-link] tspan")].map((one) => Number(one.textContent.match(/[\\d.]+$/)));
    }"""
    for chosen in chosen_list:
        weights = blank.evaluate(drawn, chosen)
        assert len(weights) == 8 and math.isclose(sum(weights), 1, abs_tol=1e-9), (chosen, weights)


def test_neighbours_of_another_step_than_the_one_drawn_are_faded_and_dated(blank) -> None:
    """Of a live training they are kept at some steps only, and a picture of another would contradict them."""
    state, chosen_list = CASES["live"]()
    put(blank, LOAD, script("live"), state)
    read = """(chosen) => {
        const {compute, draw, motion} = window.kitModule.board, figure = compute(window.kitState, chosen);
        const html = draw({...figure, ...motion(figure)}, chosen, window.kitState).find((one) => one.includes("of 3"));
        return [html.includes("kit-earlier"), html.includes("are not recorded at this step")];
    }"""
    for position in (0, 1, 2):  # steps 0, 8 and 16
        chosen = {**chosen_list[0], "source": "recorded", "position": position, "point": 1}
        assert blank.evaluate(read, chosen) == [position == 1] * 2, position


def test_a_setting_of_the_sphere_that_was_not_recorded_moves_the_other_menu(blank) -> None:
    state, _ = CASES["sphere"]()
    put(blank, LOAD, script("sphere"), state)
    settle = "([name, chosen]) => window.kitModule.board.settle(name, chosen, window.kitState)"
    recorded = {(run["tau"], run["lam"]) for run in state["runs"]}
    assert len(recorded) < len(state["taus"]) * len(state["lams"]), "else there is nothing to settle"
    for tau in state["taus"]:
        for lam in state["lams"]:
            for name in ("tau", "lam"):
                chosen = {"tau": tau, "lam": lam}
                found = chosen | blank.evaluate(settle, [name, chosen])
                assert found[name] == chosen[name] and (float(found["tau"]), float(found["lam"])) in recorded
                assert (float(tau), float(lam)) not in recorded or found == chosen


@pytest.mark.parametrize("board, button", [("sphere", "play"), ("live", "start")])
def test_a_recording_that_is_taken_to_a_place_by_hand_stays_there(blank, board: str, button: str) -> None:
    state, chosen_list = CASES[board]()
    put(blank, LOAD, script(board), state)
    call = "([of, ...given]) => window.kitModule.board[of](...given)"
    playing = {**chosen_list[0], "source": "recorded", "position": 0, "pressed": button}
    for _ in range(2):  # the button, and the clock after it
        playing |= blank.evaluate(call, ["advance", playing, state, 0.1])
    assert playing["playing"] and playing["position"] > 0
    by_hand = playing | {"position": 1}
    by_hand |= blank.evaluate(call, ["settle", "position", by_hand, state])
    assert blank.evaluate(call, ["advance", {**by_hand, "seen": True, "calm": False}, state, 0.1]) is None


NAMED = '() => window.kitModule.board.controls(window.kitState).find((one) => one.kind === "presets").options'


def test_buttons_for_recorded_runs_say_what_became_of_them(blank) -> None:
    """Of the sphere's two recordings, the maps and a workshop's run: settings that were recorded, words that hold."""
    holds = {
        "heals": lambda run: (
            opens(run) and run["effective_rank"][-1] > run["effective_rank"][0] and run["sts"][-1] > run["sts"][0]
        ),
        "stays narrow": lambda run: not opens(run),
        "loses directions": lambda run: opens(run) and run["effective_rank"][-1] < 0.7 * run["effective_rank"][0],
    }

    def opens(run: dict) -> bool:
        return run["mean_cosine"][-1] < run["mean_cosine"][0] - 0.1

    for recording in ("sphere", "sphere_made_up"):
        state = sphere_state(measured(recording))
        put(blank, LOAD, script("sphere"), state)
        named = blank.evaluate(NAMED)
        assert named.keys() == holds.keys(), recording
        for name, chosen in named.items():
            run = run_of(state, chosen)
            assert (run["tau"], run["lam"]) == (float(chosen["tau"]), float(chosen["lam"])) and holds[name](run), name
            assert chosen["position"] == len(state["steps"]) - 1

    state, chosen_list = CASES["maps"]()
    put(blank, LOAD, script("maps"), state)
    nearest, farthest = [maps_values(state, chosen_list[0] | setting) for setting in blank.evaluate(NAMED).values()]
    assert math.isclose(nearest["distance"], nearest["least"]) and math.isclose(farthest["distance"], farthest["most"])

    state, _ = CASES["workshop"]()
    state |= {"mode": "recorded", "validated": state["validated"] | {"validation": [48.5, 55.0, 68.0, 69.0, 70.0]}}
    put(blank, LOAD, script("workshop"), state)
    first, early, last = [
        workshop_values(state, {"smooth": 1, **setting})["now"]["validation"]
        for setting in blank.evaluate(NAMED).values()
    ]
    assert first < early < last and early - first >= 0.8 * (last - first)


def test_the_printed_parts_of_the_naive_risk_add_up_to_it(blank) -> None:
    """R⁺ + R⁻ = the naive risk, in the digits beside the bars, at every setting; what is printed as 1.0e−4 counts 0."""
    state, chosen_list = CASES["nnpu"]()
    put(blank, LOAD, script("nnpu"), state)
    drawn = """(chosen) => {
        const {compute, draw, motion} = window.kitModule.board, figure = compute(window.kitState, chosen);
        const page = new DOMParser().parseFromString(draw(figure, chosen, window.kitState)[0], "text/html");
        const words = [...page.querySelectorAll("text")].map((one) => one.textContent);
        const numbers = words.filter((one) => /^−?[0-9]+\\.([0-9]{3}|[0-9]e−[0-9]+)$/.test(one));
        return numbers.map((one) => Number(one.replaceAll("−", "-")));
    }"""
    for chosen in chosen_list:
        positive, negative, naive, *_ = blank.evaluate(drawn, chosen)
        printed = [round(risk, 3) for risk in (negative, naive)]
        assert math.isclose(positive + printed[0], printed[1], abs_tol=1e-9), (chosen, positive, negative, naive)


def test_a_risk_below_zero_is_put_down_to_the_prior_where_that_alone_takes_it_there(blank) -> None:
    """The prior is named where nothing need be learnt by heart, and the true prior would leave R⁻ where it can be."""
    state, chosen_list = CASES["nnpu"]()
    put(blank, LOAD, script("nnpu"), state)
    told = """(chosen) => {
        const {compute, brief} = window.kitModule.board;
        return brief(compute(window.kitState, chosen), chosen, window.kitState);
    }"""
    kinds = set()
    too_high = {"memory": 0.0, "prior": 0.9, "boundary": 0.0, "steepness": 2.0}
    by_heart = {"memory": 8.0, "prior": 0.95, "kept": 0.9, "boundary": 4.0, "steepness": 2.0}
    for chosen in [*chosen_list[::4], chosen_list[0] | too_high, by_heart]:
        at_once, truly = (
            nnpu_values(state, chosen | {"memory": 0.0} | more)["negative"] for more in ({}, {"prior": 0.4})
        )
        below_zero = nnpu_values(state, chosen)
        said, below = blank.evaluate(told, chosen), below_zero["switched"]
        named = [below and at_once >= 0, below and at_once < 0 <= truly, below and at_once < 0 and truly < 0]
        if named[2]:  # all three may have a part: the largest is named
            parts = [below_zero["negative"] - at_once, at_once - truly, truly]
            named = [part == min(parts) for part in parts]
        words = ["takes some of what was learnt by heart back", "is too high (0.4 is true)", "by chance"]
        assert [one in said for one in words] == named, (chosen, said)
        assert ("so nnPU is the naive risk." in said) != below, (chosen, said)
        above = below and chosen["prior"] > 0.4 and not named[1]
        assert ("a prior above the true 0.4" in said) == above, (chosen, said)
        kinds.add(tuple(named))
    assert len(kinds) >= 3, "a quarter of the cases has most of them"


def test_the_title_over_all_memories_says_what_is_in_the_picture(blank) -> None:
    """That the naive risk lies where it is somewhere below the true one, and no alarm where R⁻ never is below zero."""
    state, chosen_list = CASES["nnpu"]()
    put(blank, LOAD, script("nnpu"), state)
    told = """(chosen) => {
        const {compute, draw} = window.kitModule.board;
        const html = draw(compute(window.kitState, chosen), chosen, window.kitState)[1];
        const page = new DOMParser().parseFromString(html, "text/html");
        return [...page.querySelectorAll("text")].map((one) => one.textContent).join(" ");
    }"""
    far_too_low = {"memory": 2.5, "prior": 0.05, "kept": 0.1, "boundary": 0.0, "steepness": 20.0}
    late = {"memory": 0.0, "prior": 0.7, "kept": 0.5, "boundary": 4.0, "steepness": 10.0}
    kinds = set()
    for chosen in [*chosen_list[::3], far_too_low, late]:
        said = blank.evaluate(told, chosen)
        start, end = (nnpu_values(state, chosen | {"memory": memory}) for memory in (0.0, 8.0))
        lies = any(naive < true for naive, true in zip(end["curves"]["naive"], end["curves"]["new"]))
        silent = end["negative"] >= 0
        assert ("No memory takes R⁻ below zero" in said) == silent, (chosen, said)
        assert ("below zero at every memory" in said) <= (start["negative"] < 0), (chosen, said)
        assert ("makes the naive risk lie" in said) <= (lies and not silent), (chosen, said)
        assert ("Learning by heart takes R⁻ below zero" in said) <= (not lies and not silent), (chosen, said)
        kinds |= {one for one in ("No memory", "risk lie", "heart takes", "every memory") if one in said}
    assert len(kinds) == 4, kinds


def test_what_is_nearly_all_or_nothing_is_not_said_to_be_it(blank) -> None:
    """The share of the push on the nearest negative is 100 % nowhere but at 1, and Pearson is not moved by +0.0."""
    state, chosen_list = CASES["temperature"]()
    put(blank, LOAD, script("temperature"), state)
    read = "(chosen) => { const {compute, draw} = window.kitModule.board, figure = compute(window.kitState, chosen);"
    said = {}
    for chosen in chosen_list:
        share, panel = blank.evaluate(
            f"{read} return [figure.shares[0], draw(figure, chosen, window.kitState)[1]]; }}", chosen
        )
        said[share] = ">100 %</b>" in panel
    assert any(0.995 < share < 1 for share in said), "the cases have such a share"
    assert all(whole == (share == 1) for share, whole in said.items()), said
    state, chosen_list = CASES["agreement"]()
    put(blank, LOAD, script("agreement"), state)
    lead = """(chosen) => {
        const {compute, lead} = window.kitModule.board;
        return lead(compute(window.kitState, chosen), chosen);
    }"""
    leads = [blank.evaluate(lead, {**chosen_list[0], "power": power}) for power in (0.99, 0.98, 1.02, 0.1, 10)]
    assert not any("+0.0" in one or "−0.0" in one for one in leads), leads
    assert any(">less than 0.1<" in one for one in leads) and any(">−" in one for one in leads), leads


SAY = """([chosen, what]) => {
    const {compute, lead, brief, summary} = window.kitModule.board, state = window.kitState;
    const html = {lead, brief, summary}[what](compute(state, chosen), chosen, state);
    return new DOMParser().parseFromString(html, "text/html").body.textContent;
}"""


FALSE_GAIN = {"spread": 0.8, "seeds": 10, "wanted": 80}
SPANS = {"longest": 16, "anchors": 1, "positives": 2, "strategy": "any", "starts": "paper"}


@pytest.mark.parametrize(
    ("name", "chosen", "what", "said"),
    [
        ("padding", {"padding": 0, "sentences": "uneven"}, "brief", "With 4 [PAD] and no mask"),
        (
            "pulls",
            {"anchor": "premise 4", "similarity": "cosine", "tau": 1.0, "lam": 1.0},
            "lead",
            "At λ 1.00 nothing pulls: premise 4 entails nothing",
        ),
        ("annealing", {"alpha": 6, "epochs": 5, "done": 0.35}, "lead", "15,625 times less"),
        ("annealing", {"alpha": 6, "epochs": 5, "done": 0.35}, "brief", "reset < 0.01 %."),
        (
            "verdict",
            {"effect": 0, "spread": 0.8, "seeds": 7, "wanted": 80, "promise": "within ±1"},
            "lead",
            "7 seeds prove that there is no effect beyond ±1 in",
        ),
        (
            "verdict",
            {"effect": 0.5, "spread": 0.8, "seeds": 7, "wanted": 80, "promise": "within ±1"},
            "lead",
            "7 seeds prove an effect of +0.5 to be within ±1 in",
        ),
        (
            "verdict",
            {"effect": 0.8, "spread": 0.8, "seeds": 7, "wanted": 80, "promise": "above 0"},
            "lead",
            "7 seeds prove an effect of +0.8 to be above 0 in",
        ),
        ("verdict", FALSE_GAIN | {"effect": 0, "promise": "above 0"}, "summary", "with a chance of 2.5 %"),
        ("verdict", FALSE_GAIN | {"effect": 1, "promise": "within ±1"}, "summary", "with a chance of 2.5 %"),
        ("scale", {**STARTS, "gpus": 1024}, "lead", "on 1,024 GPUs"),
        ("scale", {**STARTS, "gpus": 1024}, "summary", "Estimate: 1,024 GPUs"),
        ("spans", SPANS | {"strategy": "any"}, "brief", "its tokens: ℓmax stretches anchors and positives alike."),
        (
            "spans",
            SPANS | {"strategy": "adjacent"},
            "brief",
            "0 % of its tokens: each lies beside its anchor, whatever ℓmax is.",
        ),
        (
            "spans",
            SPANS | {"strategy": "subsuming"},
            "brief",
            "100 % of its tokens: each lies inside its anchor, whatever ℓmax is.",
        ),
        (
            "spans",
            SPANS | {"anchors": 2, "longest": 64},
            "brief",
            "What is lost comes back with fewer anchors or a shorter ℓmax.",
        ),
        ("spans", SPANS | {"longest": 64}, "brief", "What is lost comes back with a shorter ℓmax."),
        ("spans", SPANS | {"anchors": 3}, "brief", "What is lost comes back with fewer anchors."),
        (
            "nnpu",
            {"memory": 0.0, "prior": 0.05, "kept": 0.05, "boundary": 4.0, "steepness": 20.0},
            "brief",
            "R⁻, 1.6e−4, is not below zero",
        ),
    ],
)
def test_sentences_at_the_edges_are_true_there(name: str, chosen: dict, what: str, said: str, blank) -> None:
    state, _ = CASES[name]()
    put(blank, LOAD, script(name), state)
    assert said in blank.evaluate(SAY, [chosen, what])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_law_of_a_positives_length_is_that_of_its_strategy(strategy: str, blank) -> None:
    """The mean of the curve that is drawn, and of the lengths in all drawings that the board holds."""
    state, longest = spans_state([9000] * 6), 128
    chosen = {"longest": longest, "anchors": 3, "positives": 4, "strategy": strategy, "starts": "paper", "shown": "1"}
    put(blank, LOAD, script("spans"), state)
    drawn = """(chosen) => {
        const {compute, draw} = window.kitModule.board, figure = compute(window.kitState, chosen);
        const page = new DOMParser().parseFromString(draw(figure, chosen, window.kitState).at(-1), "text/html");
        return [...page.querySelectorAll("polyline")].map((one) => one.getAttribute("points"));
    }"""
    points = [[float(v) for v in one.split(",")] for one in blank.evaluate(drawn, chosen)[-1].split()]
    (left, foot), right = points[0], points[-1][0]
    heights = [foot - y for _, y in points]
    share = sum((x - left) * h for (x, _), h in zip(points, heights)) / sum(heights) / (right - left)
    spans = [p for again in range(ROUNDS) for p in positives_of(spans_values(state, {**chosen, "again": again}))]
    least = longest // RATIO
    lengths = [end - start + 0.5 for start, end in spans]  # which are rounded down
    assert share == pytest.approx((sum(lengths) / len(lengths) - least) / (longest - least), abs=0.01)


def test_lists_of_several_right_texts_tell_of_the_first(blank) -> None:
    state, _ = CASES["search"]()
    chosen = {"query": state["query"], "k": 5, "vote": ""}
    for answers, words in ((1, "The right text"), (2, "The first right text")):
        put(blank, LOAD, script("search"), state | {"answers": answers})
        assert blank.evaluate(SAY, [chosen, "lead"]).startswith(f"{words} for ")
        assert f"{words} is number 14 for raw" in blank.evaluate(SAY, [chosen, "summary"])
        assert ("the texts that the test calls right" in blank.evaluate(SAY, [chosen, "brief"])) == (answers > 1)


def test_of_one_hit_each_is_said_whether_it_is_the_same(blank) -> None:
    state, _ = CASES["search"]()
    columns = [one | {"right": None} for one in state["columns"]]
    for shown, words in ((columns, "The first hit is not the same in both lists."),
                         (columns[:1] * 2, "The first hit is the same in both lists")):  # fmt: skip
        state |= {"columns": shown}
        put(blank, LOAD, script("search"), state)
        chosen = {"query": state["query"], "k": 1, "vote": ""}
        assert blank.evaluate(SAY, [chosen, "brief"]).startswith(words)
        said = blank.evaluate(SAY, [chosen, "summary"])
        assert words in said and said == search_summary(search_values(state, chosen), chosen, state)


@pytest.mark.parametrize("name, name_of_share", [("verdict", "chance"), ("look", "share"), ("workshop", "averaged")])
def test_summaries_beside_a_bound_say_the_same_in_both_languages(name: str, name_of_share: str, blank) -> None:
    """Where the digits are others."""
    widget, (state, chosen_list) = import_module(f"kit.boards.{name}_widget"), CASES[name]()
    state |= {"mode": "recorded"} if name == "workshop" else {}
    put(blank, LOAD, script(name), state)
    summarise = getattr(widget, f"{name}_summary")
    say = """([values, chosen]) => window.kitModule.board.summary(values, chosen, window.kitState)"""
    for chosen in chosen_list[::9]:
        for share in {"chance": (chosen.get("wanted", 0) / 100 - 0.004, 0.5), "averaged": (5, 20), "share": (0.25, 7)}[
            name_of_share
        ]:
            values = getattr(widget, f"{name}_values")(state, chosen) | {name_of_share: share}
            given = [values, chosen] if name == "verdict" else [values, chosen, state]
            assert blank.evaluate(say, [values, chosen]) == summarise(*given)


def test_a_share_just_above_one_half_is_not_said_to_be_it(blank) -> None:
    """The scale board: “more than half of it (50.3 %)”, in the caption as in the headline."""
    state, _ = CASES["scale"]()
    put(blank, LOAD, script("scale"), state)
    say = """(chosen) => {
        const {compute, lead, brief} = window.kitModule.board, figure = compute(window.kitState, chosen);
        figure.step = (figure.parts[2] + figure.parts[3]) / 0.503;
        return [lead(figure, chosen), brief(figure, chosen, window.kitState)];
    }"""
    assert all("50.3 %" in one for one in blank.evaluate(say, STARTS))


def test_a_mean_is_of_no_more_steps_than_there_are() -> None:
    state, (chosen, *_) = CASES["workshop"]()  # 22 steps
    for smooth, averaged in ((1, 1), (10, 10), (50, 22)):
        values = workshop_values(state, chosen | {"smooth": smooth})
        assert values["averaged"] == averaged


def test_losses_of_a_recorded_run_are_smoothed_over_no_more_than_there_are(blank) -> None:
    state, _ = CASES["workshop"]()  # 22 steps
    for mode, most in (("recorded", 22), ("live", 50)):
        put(blank, LOAD, script("workshop"), state | {"mode": mode})
        [smooth] = [one for one in blank.evaluate(CONTROLS) if one["name"] == "smooth"]
        assert smooth["max"] == most


def test_labels_kept_are_told_in_per_cent(blank) -> None:
    put(blank, LOAD, script("nnpu"), CASES["nnpu"]()[0])
    kept = "window.kitModule.board.controls(window.kitState).find((one) => one.name === 'kept')"
    assert blank.evaluate(f"() => [{kept}.min, {kept}.value].map({kept}.tell)") == ["5 %", "10 %"]


def test_a_slider_has_the_place_where_its_board_starts(blank) -> None:
    """Else who has moved it cannot go back."""
    place = """() => {
        const slider = window.kitModule.board.controls(window.kitState).find((one) => one.name === "steepness");
        return [slider.min, slider.max, slider.steps, slider.value];
    }"""
    state, _ = CASES["nnpu"]()
    put(blank, LOAD, script("nnpu"), state)
    low, high, steps, start = blank.evaluate(place)
    assert any(math.isclose(low * (high / low) ** (i / steps), start, rel_tol=1e-9) for i in range(steps + 1))


def test_shares_of_other_wholes_are_named_apart(blank) -> None:
    """Of all texts, repeated ones too, and of the different ones."""
    state, _ = CASES["look"]()
    put(blank, LOAD, script("look"), state | {"twins": [[at, 500] for at, _ in state["twins"]], "together": None})
    said = blank.evaluate(SAY, [{"limit": 128, "least": 0.7, "batch": 2}, "lead"])
    assert "% of all texts; " in said and said.endswith("% of the different ones have a near-twin"), said


def positives_of(figure: dict) -> list:
    return [one for document in figure["documents"] for spans in document for one in spans["positives"]]


def test_an_aggregation_is_quoted_where_the_ranking_turns(blank) -> None:
    """By “all”, which is a name, not by all."""
    state, chosen_list = CASES["conventions"]()
    put(blank, LOAD, script("conventions"), state)
    turned = [one for one in chosen_list if "all" in conventions_values(state, one)["others"]]
    assert turned
    for chosen in turned:
        values = conventions_values(state, chosen)
        names = " and ".join(f"“{name}”" for name in values["others"])
        assert f"by {names} the ranking turns" in blank.evaluate(SAY, [chosen, "brief"])
        assert f"By {names} the ranking is the other way round" in conventions_summary(values, chosen)


def test_a_map_has_two_groups(blank) -> None:
    """The menu that the reader moves stays; the other takes another group."""
    state, _ = CASES["maps"]()
    put(blank, LOAD, script("maps"), state)
    settle = "([name, chosen]) => window.kitModule.board.settle(name, chosen, window.kitState)"
    for name in ("from", "to"):
        for action in state["actions"]:
            chosen = {"from": action, "to": action}
            found = chosen | blank.evaluate(settle, [name, chosen])
            assert found[name] == action and found["from"] != found["to"]
    assert blank.evaluate(settle, ["from", {"from": "a", "to": "b"}]) == {}


def test_sliders_of_a_recorded_training_stand_at_what_was_recorded(blank) -> None:
    """And at anything where it runs: the headline names the slider's own place."""
    state, _ = CASES["live"]()
    put(blank, LOAD, script("live"), state)
    allowed = "(mode) => window.kitModule.board.allowed({}, {...window.kitState, mode})"
    assert blank.evaluate(allowed, "recorded") == {"tau": [0.01, 0.3, 10], "lam": [0, 0.5, 1]}
    assert blank.evaluate(allowed, "live") == {"tau": None, "lam": None}


@pytest.mark.parametrize("name", modules())
def test_a_board_that_is_removed_hears_nothing_more(name: str, blank) -> None:
    """Whether or not anywidget takes off by itself what a view has put on: its versions differ."""
    state, chosen = CASES[name]()
    put(blank, LOAD, script(name), state)
    begun, left = blank.evaluate(REMOVED, chosen[0])
    assert begun >= 3 and left == []
