"""The options of the commands that judge, compare, search and share an encoder; what they do is imported late."""

from __future__ import annotations

import argparse

from kit.commands.command_form import Command, count, late, path, positive
from kit.commands.own_arguments import add_own_arguments

ENCODER = "a folder of a run or a model, or a name such as kit-bert-tiny"


def add_judging(one: argparse.ArgumentParser, quiet: str = "no progress bars") -> None:
    """The files of one's own to judge by, how they are read, and the form of what is printed."""
    one.add_argument(
        "--pairs",
        metavar="FILE",
        help="a file of your own: pairs, triplets, scored or labelled pairs, or texts with a class (--kind classes)",
    )
    one.add_argument(
        "--retrieval",
        metavar="FILE",
        help="more texts to search among, such as corpus.jsonl or .txt; from pairs all texts but the anchors are taken",
    )
    one.add_argument("--json", action="store_true", help="what came of it as one line of JSON, and nothing else")
    one.add_argument("--quiet", action="store_true", help=quiet)
    add_own_arguments(one)


def add_threshold(one: argparse.ArgumentParser) -> None:
    """Where the threshold between two classes of pairs is chosen."""
    one.add_argument(
        "--threshold-from",
        metavar="FILE",
        help="with --pairs of two classes, the same or not: other such pairs, as of a validation part, on which the "
        "cosine is chosen from which on two texts count as the same (default: the very pairs that are judged)",
    )


def add_device(one: argparse.ArgumentParser) -> None:
    """Where the encoder computes."""
    one.add_argument("--device", metavar="NAME", help="cpu or cuda (default: cuda where there is a GPU)")


def _compare_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("first", metavar="A", help=ENCODER)
    one.add_argument("second", metavar="B", help="another")
    one.add_argument("--rows", type=positive, metavar="N", help="at most N rows an STS task: a quick look, no result")
    one.add_argument("--resamples", type=count, default=1000, metavar="N", help="of the bootstrap (default: 1000)")
    one.add_argument("--seed", type=count, default=0, metavar="N", help="draws the resamples (default: 0)")
    add_device(one)
    add_judging(one)
    add_threshold(one)


def _search_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("path", metavar="PATH", help=ENCODER)
    one.add_argument("corpus", nargs="?", metavar="CORPUS", help="texts: .txt (one a line), .csv, .jsonl, .parquet …")
    one.add_argument("--query", nargs="+", metavar="TEXT", help="what to search for (default: each line that is typed)")
    one.add_argument("-k", "--k", type=positive, default=10, metavar="N", help="hits (default: 10)")
    one.add_argument("--index", type=path, metavar="FOLDER", help="load the index from there, or keep it there")
    one.add_argument("--json", action="store_true", help="a line of JSON for each query, and nothing else")
    add_device(one)
    one.add_argument("--quiet", action="store_true", help="no progress bar, and no word on the encoder")
    add_own_arguments(one)


def _export_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("path", metavar="PATH", help=ENCODER)
    one.add_argument("--out", type=path, required=True, metavar="FOLDER", help="where it goes; ONNX to FOLDER-onnx")
    one.add_argument(
        "--dim", type=positive, metavar="N", help="only the first N dimensions, of an encoder of --matryoshka"
    )
    one.add_argument("--onnx", action="store_true", help="also as ONNX, checked against torch")
    one.add_argument("--int8", action="store_true", help="the ONNX with weights in bytes")
    one.add_argument("--what", metavar="TEXT", help="for the card: what the encoder is for")
    one.add_argument("--data", metavar="TEXT", help="for the card: what it was trained on, and under which licence")
    one.add_argument("--resamples", type=count, default=1000, metavar="N", help="of the bootstrap (default: 1000)")
    one.add_argument("--seed", type=count, default=0, metavar="N", help="of the resamples (default: 0)")
    add_judging(one)


def _push_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("folder", type=path, metavar="FOLDER", help="what kit export wrote")
    one.add_argument("name", metavar="NAME", help="on the Hub, such as you/model")
    one.add_argument("--public", action="store_true", help="a new repository is open to all (default: private)")
    one.add_argument("--json", action="store_true", help="the address as one line of JSON")


SEARCH_COMMANDS = {
    "compare": Command(
        "compare two encoders on pairs of your own, or on STS",
        "Compare two encoders on the same pairs: difference, bootstrap interval and paired test. Example: kit compare "
        "runs/mine kit-bert-tiny --pairs test.csv",
        _compare_arguments,
        late("own_judgement", "compare"),
        "nothing was changed",
    ),
    "search": Command(
        "search a file of texts with an encoder",
        "Index the texts of a file and print the nearest to each query. Example: kit search runs/mine corpus.jsonl "
        "--query 'how do I reset my password' --index runs/index",
        _search_arguments,
        late("search_command", "search"),
        "an index is whole or not there",
    ),
    "export": Command(
        "write an encoder for others: sentence-transformers' layout, a card, ONNX",
        "Write an encoder in sentence-transformers' layout with a card that has its figures and intervals. Example: "
        "kit export runs/mine --out exported --pairs test.csv --onnx",
        _export_arguments,
        late("share_commands", "export"),
        "a folder is whole or not there",
    ),
    "push": Command(
        "upload an exported encoder to the Hub with your own token",
        "Upload what kit export wrote, with the token of hf auth login or HF_TOKEN. Example: "
        "kit push exported you/model",
        _push_arguments,
        late("share_commands", "push_folder"),
        "what was uploaded stays",
    ),
}
