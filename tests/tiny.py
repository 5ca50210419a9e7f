"""The tiny BERT that the encoder's and the training's tests share, and a check of it.

Two layers, 32 wide, random weights, a vocabulary of its own: a few milliseconds a step.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from kit.data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group
from kit.encoder import Encoder, load_encoder

_TEXT = (
    "a the two some man woman dog cat child bird red small old tall runs sleeps sings reads waits jumps "
    "in on near under park house river garden street with ball hat book kite and not nobody is"
)
WORDS = _TEXT.split()
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SENTENCES = [
    "a dog runs",
    "the small cat sleeps under the old house near the river",
    "nobody sings",
    "two birds wait",
    "a tall woman reads a red book in the garden and a child jumps",
    "a hat",
]


def write_tiny_bert(
    folder: Path,
    *,
    seed: int = 0,
    positions: int = 64,
    layers: int = 2,
    hidden: int = 32,
    heads: int = 2,
    as_pretrained: bool = False,
) -> Path:
    """A folder as transformers writes it: config.json, model.safetensors, vocab.txt.

    `as_pretrained` keeps the heads of BERT's pretraining, as the models on the Hub do.
    """
    from transformers import BertConfig, BertForPreTraining, BertModel

    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    vocabulary = [*SPECIAL, ".", *WORDS, *(c for c in letters if c != "a"), *(f"##{c}" for c in letters)]
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=2 * hidden,
        max_position_embeddings=positions,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (BertForPreTraining if as_pretrained else BertModel)(config)
        with torch.no_grad():  # at BERT's usual 0.02 all vectors are nearly one: errors would hide
            for parameter in model.parameters():
                parameter.mul_(4 if parameter.ndim == 2 else 1)
    model.save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": positions}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def tiny_encoder(folder: Path, **settings) -> Encoder:
    """A fresh encoder of the tiny BERT in `folder`, which is written where it is not there yet."""
    if not (folder / "config.json").exists():
        write_tiny_bert(folder)
    return load_encoder(folder, **settings)


def tiny_groups(n: int = 12) -> list[Group]:
    """`n` premises of the tiny vocabulary, of unlike lengths, with 3 or 4 hypotheses each."""
    who, does, where = WORDS[4:10], WORDS[14:20], WORDS[24:29]
    groups = []
    for i in range(n):
        subject, verb, place = who[i % 6], does[(i // 2) % 6], where[i % 5]
        anchor = f"a {subject} {verb} in the {place}" + " with a red ball and a small kite" * (i % 3)
        hypotheses = [
            f"the {subject} {verb}",
            f"a {subject} is in the {place}",
            f"the {subject} is old",
            f"nobody {verb} in the {place}",
        ]
        labels = [ENTAILMENT, ENTAILMENT, NEUTRAL, CONTRADICTION]
        kept = slice(None) if i % 2 else slice(1, None)
        groups.append(Group(i, anchor, tuple(hypotheses[kept]), tuple(labels[kept])))
    return groups


def test_the_tiny_bert_is_seeded_and_tells_sentences_apart(tmp_path: Path) -> None:
    first = tiny_encoder(tmp_path / "one").encode(SENTENCES)
    again = tiny_encoder(tmp_path / "two").encode(SENTENCES)
    other = load_encoder(write_tiny_bert(tmp_path / "three", seed=1)).encode(SENTENCES)
    assert torch.equal(first, again) and not torch.allclose(first, other, atol=0.1)
    apart = torch.cdist(first, first) + torch.eye(len(first)) * 9
    assert apart.min() > 0.1
