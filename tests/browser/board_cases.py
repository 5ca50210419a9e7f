"""For each board a state and settings of its controls: both ends, the middle, every choice."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from itertools import product


def grid(**values: list) -> list[dict]:
    """Every combination of the values given by name."""
    return [dict(zip(values, chosen)) for chosen in product(*values.values())]


def tau_lambda() -> tuple[dict, list[dict]]:
    import torch

    from kit.boards.tau_lambda_widget import tau_lambda_state
    from kit.data.twelve import twelve_labels

    vectors = torch.randn(12, 32, generator=torch.manual_seed(0)) + 0.5
    return tau_lambda_state(vectors, twelve_labels()), grid(tau=[0.01, 0.05, 0.3, 1.0, 10.0], lam=[0.0, 0.3, 1.0])


def live() -> tuple[dict, list[dict]]:
    from kit.boards.live_widget import MEASURES

    def frames(scale: float) -> list[dict]:
        return [
            {
                "step": step,
                "theta": [round(scale * step + 100 * k) for k in range(3)],
                "phi": [(170 * step + 61 * k) % 360 for k in range(3)],
                "histogram": [step, 40, 40 - step],
                **{key: scale * step / 9 for key in MEASURES if step or key != "loss"},
                **({"neighbours": [[1, 2], [2, 0], [0, 1]]} if step % 16 == 0 else {}),
            }
            for step in range(0, 40, 8)
        ]

    runs = [
        {"tau": tau, "lam": lam, "frames": frames(tau + lam)} for tau in (0.01, 0.3, 10.0) for lam in (0.0, 0.5, 1.0)
    ]
    state = {
        "mode": "recorded",
        "sliders": ["tau", "lam"],
        "starts": {"tau": 0.05, "lam": 0.3},
        "premise": [0, 0, 0],
        "sources": ["live", "recorded"],
        "roles": ["premise", "entailed", "contradicted"],
        "sentences": ["A man reads.", "Somebody reads.", "A man sleeps."],
        "bins": [-1, -0.5, 0.5, 1],
        "task": "STS",
        "runs": runs,
        "note": "A note.",
    }
    return state, grid(
        tau=[0.01, 0.07, 10.0], lam=[0.0, 0.2, 1.0], position=[0, 2.35, 99], point=[0, 3], source=["live", "recorded"]
    )


def temperature() -> tuple[dict, list[dict]]:
    import torch

    from kit.boards.temperature_widget import temperature_state
    from kit.data.twelve import twelve_labels, twelve_sentences

    vectors = torch.randn(12, 16, generator=torch.manual_seed(4)) + 0.8
    state = temperature_state(vectors.tolist(), twelve_labels(), twelve_sentences())
    return state, grid(tau=[0.001, 0.01, 0.05, 0.3, 1.0, 10.0, 100.0], anchor=state["topics"])


def explorer() -> tuple[dict, list[dict]]:
    """Hidden states as they travel, whole thousandths; sentences of 7, 2 and 5 tokens."""
    import torch

    from kit.boards.explorer_widget import POOLINGS

    draw = torch.Generator().manual_seed(5)
    hidden = [[torch.randint(-2000, 2500, (n, 16), generator=draw).tolist() for n in (7, 2, 5)] for _ in range(3)]
    state = {
        "sentences": ["one", "two", "three"],
        "cut": [True, False, False],
        "hidden": hidden,
        "tokens": [[f"{name}{t}" for t in range(n)] for name, n in (("a", 7), ("b", 2), ("c", 5))],
    }
    return state, grid(pooling=list(POOLINGS), layer=[0, 1, 2], explained=["1", "2", "3"], against=["1", "2", "3"])


def padding() -> tuple[dict, list[dict]]:
    from kit.boards.padding_widget import padding_state
    from kit.encoder import load_encoder

    sets = {"short": ["It rains.", "It pours.", "She sings."], "uneven": ["A cat.", "A dog sleeps all day.", "No."]}
    return padding_state(load_encoder(), sets), grid(padding=[0, 1, 17, 39, 40], sentences=list(sets))


def whitening() -> tuple[dict, list[dict]]:
    import torch

    from kit.boards.whitening_widget import REPAIRS, whitening_state

    draw = torch.Generator().manual_seed(2)
    fitted, first = (torch.randn(n, 6, generator=draw) @ torch.randn(6, 6, generator=draw) + 1 for n in (90, 40))
    second = first + torch.rand(40, 1, generator=draw) * torch.randn(40, 6, generator=draw)
    scores = (5 - (first - second).norm(dim=1)).tolist()
    fits = {"other sentences": fitted, "the measured sentences": torch.cat([first, second])}
    state = whitening_state(first, second, scores, fits, "made-up pairs")
    return state, grid(dim=state["dims"], repair=list(REPAIRS), fitted=list(fits))


def heat() -> tuple[dict, list[dict]]:
    import torch

    from kit.boards.heat_widget import heat_state
    from kit.data.twelve import twelve_labels, twelve_sentences

    class Drawn:
        def __init__(self, shift: float):
            self.shift = shift

        def encode(self, sentences: list[str]):
            return torch.randn(len(sentences), 8, generator=torch.Generator().manual_seed(1)) + self.shift

    state = heat_state({"raw": Drawn(2.0), "trained": Drawn(0.0)}, twelve_sentences(), twelve_labels())
    return state, grid(own=["", "one | two"], space=state["spaces"], sentence=[1, 2, 3, 11, 12])


def maps() -> tuple[dict, list[dict]]:
    from kit.boards.maps_widget import COLOURINGS
    from kit.lesson import measured

    state = measured("umap")["state"]
    ends = grid(**{"from": state["actions"], "to": state["actions"]})
    some = grid(neighbours=[5, 20, 160], seed=[0, 3], colouring=list(COLOURINGS))
    settings = [
        *({**chosen, **ends[1]} for chosen in some),
        *({"neighbours": 10, "seed": 1, "colouring": "action", **chosen} for chosen in ends),
    ]
    return state, settings


def pulls() -> tuple[dict, list[dict]]:
    """Premises with two, one, three and no entailed hypotheses."""
    import torch

    from kit.boards.pulls_widget import SIMILARITIES, pulls_state
    from kit.losses import PairClassifier

    draw = torch.Generator().manual_seed(6)
    premises, hypotheses = (torch.randn(rows, 16, generator=draw) + 0.5 for rows in (4, 9))
    with torch.random.fork_rng():
        torch.manual_seed(6)
        head = PairClassifier(16)
    owner, labels = [0, 0, 0, 1, 1, 2, 2, 2, 3], [0, 0, 2, 0, 1, 0, 0, 0, 1]
    state = pulls_state(premises, hypotheses, owner, labels, head, [f"sentence {i}" for i in range(9)])
    return state, grid(
        anchor=state["anchors"], similarity=list(SIMILARITIES), tau=[0.01, 0.0501, 0.3, 1.0, 10.0], lam=[0.0, 0.3, 1.0]
    )


def margin() -> tuple[dict, list[dict]]:
    """Points at both ends and in the middle, on top of each other, and at the origin."""
    from kit.boards.margin_widget import REACH, margin_state

    state, (x, y) = margin_state(), REACH
    names = ("anchor_x", "anchor_y", "positive_x", "positive_y", "negative_x", "negative_y")
    rows = [
        (-1.0, -0.4, 0.3, 0.7, 0.8, -1.0),
        (x, y, -x, -y, x, -y),
        (-x, -y, x, y, -x, y),
        (0.0, 0.0, 1.1, 0.3, -2.0, 0.4),
        (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        (0.5, 0.2, 0.0, 0.0, 0.7, 1.9),
        (0.2, -0.3, 0.3, -0.3, 2.9, 2.1),
    ]
    return state, [
        {"margin": margin, "distance": distance, **dict(zip(names, row))}
        for margin in (0.05, 1.0, 5.0)
        for distance in state["distances"]
        for row in rows
    ]


def masks() -> tuple[dict, list[dict]]:
    """Three anchors with two of each, two positives of one text: a twin to mask; every loss, every kind of row."""
    import torch

    from kit.boards.masks_widget import TWINS, masks_state

    texts = ["one", "two", "three", "same", "b", "same", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
    before, vectors = (torch.randn(15, 16, generator=torch.manual_seed(seed)) + 0.6 for seed in (6, 5))
    state = masks_state(vectors, texts, 3, 2, 2, before)
    return state, grid(loss=list(state["losses"]), anchor=[1, 2, 5, 15], tau=[0.01, 0.05, 1.0, 10.0], twins=list(TWINS))


def nnpu() -> tuple[dict, list[dict]]:
    """Both ends of all, and settings on both sides of the switch."""
    from kit.boards.nnpu_widget import nnpu_state

    ends = grid(memory=[0.0, 8.0], prior=[0.05, 0.95], kept=[0.05, 0.9], boundary=[-4.0, 4.0], steepness=[0.2, 20.0])
    return nnpu_state(), ends + grid(
        memory=[0.0, 1.5, 4.0], prior=[0.4, 0.7], kept=[0.1, 0.25, 0.5], boundary=[-0.5, 0.75], steepness=[2.0]
    )


def annealing() -> tuple[dict, list[dict]]:
    return {"ticks": 100}, grid(alpha=[0, 0.5, 3, 6], epochs=[1, 2, 3, 5], done=[0, 0.35, 0.5, 1])


def workshop() -> tuple[dict, list[dict]]:
    """A run in the middle, with a loss that is missing where it was no number, and one that has not begun."""
    from kit.boards.workshop_widget import curves

    nothing = float("nan")
    history = [
        {
            "step": step,
            "loss": 3 / step,
            "contrastive": nothing if step == 7 else 4 / step,
            "rows": 96,
            "cross_entropy": 1.1 - step / 90,
            "lr": 1e-3 * step,
            **({"validation": 50 + step, "mean_cosine": 0.7 - step / 50} if step % 5 == 0 else {}),
        }
        for step in range(1, 23)
    ]
    choices = {"recipe": ["scl", "simcse"], "data": ["SNLI"], "encoder": ["kit-bert-tiny"], "preset": ["smoke", "gpu"]}
    state = {
        "mode": "live",
        "choices": choices,
        "chosen": {kind: names[0] for kind, names in choices.items()},
        "name": "scl-smoke-SNLI",
        "judge": "people on STS-B",
        "cost": "About 3 s.",
        "steps": 40,
        "doing": "training",
        "speed": 1234.5,
        "note": "A note.",
        **curves(history, {"validation": 48.5, "mean_cosine": 0.71}),
    }
    return state, grid(
        smooth=[1, 10, 50],
        reached=[0, 0.42, 1],
        epochs_scale=[0.25, 16.0],
        lr_scale=[0.01, 100.0],
        recipe=choices["recipe"],
        data=["SNLI"],
        encoder=["kit-bert-tiny"],
        preset=choices["preset"],
    )


def spans() -> tuple[dict, list[dict]]:
    """Documents too short, exactly long enough for some settings, and long; both ends of every slider."""
    from kit.boards.spans_widget import spans_state

    words = ["A", "boat", "sail", "##s", "<b>", "."] * 84
    state = spans_state([90, words, 1000, 3072], seed=2)
    kinds = {"strategy": state["strategies"], "starts": state["starts"]}
    return state, [
        *grid(longest=[126], anchors=[2], positives=[2], again=[0], shown=["1"], **kinds),
        *grid(
            longest=[16, 512],
            anchors=[1, 3],
            positives=[1, 4],
            again=[7],
            shown=["4"],
            strategy=["any"],
            starts=state["starts"],
        ),
    ]


def verdict() -> tuple[dict, list[dict]]:
    from kit.boards.verdict_widget import verdict_state

    state = verdict_state()
    return state, grid(
        effect=[-3, -0.95, 0, 0.8, 3],
        spread=[0, 0.8, 3],
        seeds=[2, 3, 7, 20],
        wanted=[50, 80, 95],
        promise=state["promises"],
    )


def measured_systems() -> dict[str, list[dict]]:
    """Three made-up systems, one with two seeds, on two tasks of several parts and one of a single part."""
    import random

    draw = random.Random(10)

    def figures(pairs: int) -> dict:
        return {"pairs": pairs, "spearman": draw.uniform(20, 70), "pearson": draw.uniform(20, 70)}

    def run() -> dict:
        return {
            task: {"all": figures(sum(parts)), "subsets": {f"part {i}": figures(n) for i, n in enumerate(parts)}}
            for task, parts in (("STS12", (750, 400, 100)), ("STS15", (300, 310)), ("STS-B", (1379,)))
        }

    return {"raw": [run()], "trained": [run(), run()], "other": [run()]}


def conventions() -> tuple[dict, list[dict]]:
    from kit.boards.conventions_widget import AGGREGATIONS, CORRELATIONS, FIVE, conventions_state

    state = conventions_state(measured_systems())
    systems = list(state["values"])
    return state, grid(
        first=systems,
        second=systems,
        task=[FIVE, "STS12", "STS15"],
        aggregation=list(AGGREGATIONS),
        correlation=list(CORRELATIONS),
    )


def agreement() -> tuple[dict, list[dict]]:
    import random

    from kit.boards.agreement_widget import GOLD, agreement_state

    draw = random.Random(11)
    gold = [draw.choice((0, 1, 2.5, 3.4, 4, 5)) for _ in range(90)]
    cosines = [0.3 + value / 12 + draw.gauss(0, 0.12) for value in gold]
    return agreement_state(cosines, gold, "made-up pairs"), grid(
        pairs=[20, 60, 90], power=[0.1, 1.0, 10.0], gold=list(GOLD)
    )


def scale() -> tuple[dict, list[dict]]:
    """Both ends of every slider, every encoder, link and way: small and vast, each part binds somewhere."""
    from kit.boards.scale_widget import STARTS, scale_state

    state = scale_state(4321.5)
    ends = grid(
        gpus=[1, 1024],
        batch=[16, 8192],
        tokens=[8, 128],
        share=[0.05, 0.8],
        cores=[1, 32],
        encoder=["BERT 8 × 512"],
        matrix=state["matrices"],
        link=["InfiniBand NDR"],
    )
    return state, [
        *ends,
        *({**STARTS, "encoder": encoder, "link": link} for encoder in state["shapes"] for link in state["links"]),
    ]


def sphere() -> tuple[dict, list[dict]]:
    from kit.boards.sphere_widget import sphere_state

    steps = [0, 1, 4, 9, 16, 25, 36]

    def run(tau: float, lam: float, turn: int) -> dict:
        frames = range(len(steps))
        return {
            "tau": tau,
            "lam": lam,
            "theta": [[300 + 60 * f + 40 * k for k in range(6)] for f in frames],
            "phi": [[(turn * f + 61 * k) % 360 for k in range(6)] for f in frames],
            "histogram": [[5 * f, 20, 40 - 5 * f] for f in frames],
            "neighbours": [[[(k + f + 1) % 6, (k + f + 2) % 6, (k + f + 3) % 6] for k in range(6)] for f in frames],
            "mean_cosine": [0.7 - 0.05 * f for f in frames],
            "effective_rank": [26.0 + f for f in frames],
            "sts": [43.0 + 3 * f for f in frames],
        }

    recorded = {
        "steps": steps,
        "bins": [-0.5, 0.0, 0.5, 1.0],
        "roles": ["premise", "entailed", "contradicted"] * 2,
        "sentences": ["A man reads.", "Somebody reads.", "A man sleeps."] * 2,
        "made_up": True,
        "runs": [run(0.05, 0.3, 170), run(1.0, 0.3, -100), run(0.05, 0.0, 350)],
        "hardware": "a machine",
        "date": "2026-01-01",
    }
    return sphere_state(recorded), grid(
        tau=["0.05", "1"], lam=["0.3", "0"], position=[0, 0.35, 3.0, 5.5, 6], point=[0, 1, 6]
    )


def own_sentences() -> tuple[dict, list[dict]]:
    state, buffers = own_encoders()
    texts = ["", "  ", "A dog?", "<img src=x onerror='ran=1'> {x} & co", "日本語 שלום 🙂", "word " * 400, "[SEP]"]
    second = ["Nobody sings.", "Он поёт, она нет."]
    return {**deepcopy(state), "buffers": buffers}, grid(first=["A boy sings.", *texts], second=second)


@cache
def own_encoders() -> tuple[dict, list[str]]:
    """The state of that board, and its two encoders as text."""
    from base64 import b64encode

    from kit.boards.own_sentences_widget import own_sentences_buffers, own_sentences_state

    state = own_sentences_state([f"{who} {does}." for who, does in product(WHO, DOES)], "What it is, and where from.")
    return state, [b64encode(one).decode() for one in own_sentences_buffers(state)]


WHO = ("A boy", "Two dogs", "My aunt", "The mayor", "A goat", "Nobody", "An old man")
DOES = ("sings", "runs home", "eats bread", "reads a letter", "is late", "sleeps")


def search() -> tuple[dict, list[dict]]:
    def hits(numbers: range, low: float) -> list[dict]:
        return [{"id": n, "text": f"text <{n}>", "score": round(low + n / 50, 4)} for n in numbers]

    state = {
        "query": "what & why?",
        "most": 10,
        "texts": 40,
        "columns": [
            {"name": "raw", "hits": hits(range(10), -0.1), "right": {"rank": 14, **hits(range(11, 12), -0.2)[0]}},
            {
                "name": "trained",
                "hits": hits(range(12, 2, -1), 0.1),
                "right": {"rank": 2, **hits(range(11, 12), 0.1)[0]},
            },
        ],
        "answers": 1,
        "right": [11],
        "votes": {"3": True, "4": False},
        "fit": 1,
        "unfit": 1,
        "serial": 2,
    }
    return state, grid(query=["", "what & why?"], k=[1, 2, 5, 10], vote=["", "up 3 1"])


def look() -> tuple[dict, list[dict]]:
    """Lengths in two roles, one of them beyond what is counted, twins, and rows of every kind."""
    state = {
        "name": "my.csv",
        "kind": "labelled",
        "count": 300,
        "texts": 580,
        "lengths": {"sentence1": [[4, 100], [9, 150], [40, 50]], "sentence2": [[7, 200], [513, 100]]},
        "beyond": {"sentence1": 0, "sentence2": 900},
        "histogram": {"sentence1": [[11, 83.3], [33, 16.7]], "sentence2": [[11, 66.7], [500, 33.3]]},
        "colours": {"sentence1": "after", "sentence2": "before"},
        "limit": 128,
        "most": 512,
        "twins": [[0.7, 90], [0.75, 70], [0.8, 55], [0.85, 31], [0.9, 12], [0.95, 12], [1.0, 4]],
        "together": 0.0123,
        "batches": [2, 4, 8, 16, 32, 64, 128, 256],
        "rows": [["rows that are copies", 2.3], ["rows that contradict another", 0.7]],
        "classes": [["same & equal", 70.3], ["other", 29.7]],
    }
    return state, grid(limit=[4, 16, 128, 512], least=[0.7, 0.85, 1.0], batch=[2, 128, 256])


CASES = {
    "look": look,
    "search": search,
    "own_sentences": own_sentences,
    "scale": scale,
    "conventions": conventions,
    "agreement": agreement,
    "spans": spans,
    "verdict": verdict,
    "workshop": workshop,
    "nnpu": nnpu,
    "annealing": annealing,
    "masks": masks,
    "margin": margin,
    "pulls": pulls,
    "explorer": explorer,
    "padding": padding,
    "temperature": temperature,
    "live": live,
    "tau_lambda": tau_lambda,
    "whitening": whitening,
    "heat": heat,
    "maps": maps,
    "sphere": sphere,
}
