"""No model folder runs code: thirty hostile ones, and somebody who answers "y" to every question."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import huggingface_hub
import pytest
import transformers

import kit.encoder.find as find
from kit.checks.foreign_code import read_settings, refuse_foreign_code
from kit.commands.sentence_transformers_folder import load_any
from kit.encoder import load_encoder
from kit.errors import KitError
from tests.tiny import write_tiny_bert

ROOT = Path(__file__).resolve().parents[2]
EVIL = """
import os, pathlib
pathlib.Path(os.environ["KIT_MARK"]).write_text("ran")
class M:
    def __init__(self, *a, **k): pass
    def __call__(self, *a): return a[0]
    @classmethod
    def load(cls, *a, **k): return cls()
    from_pretrained = load
C = T = M
"""
TRY = """
import sys
from kit.commands.sentence_transformers_folder import load_any
from kit.errors import KitError
for folder in sys.argv[1:]:
    try:
        load_any(folder)
    except KitError as error:
        print("refused", str(error).replace(chr(10), " / "))
    except Exception as error:
        print("raw", type(error).__name__, str(error)[:200].replace(chr(10), " / "))
    else:
        print("loaded", folder)
"""


class Bomb:
    """What a pickle runs when it is read."""

    def __reduce__(self):
        return (exec, (EVIL,))


def settings(name: str, **more) -> Callable[[Path], None]:
    """Adds settings to a JSON file of the folder."""

    def write(folder: Path) -> None:
        file = folder / name
        known = json.loads(file.read_text()) if file.exists() else {}
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({**known, **more}))

    return write


def modules(*kinds: str, path: str = "1_X", **config) -> Callable[[Path], None]:
    """Makes a sentence-transformers folder of it: a Transformer, then these modules with one config.json."""

    def write(folder: Path) -> None:
        first = {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}
        more = [{"idx": i, "name": str(i), "path": path, "type": kind} for i, kind in enumerate(kinds, 1)]
        (folder / "modules.json").write_text(json.dumps([first, *more]))
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 32}))
        settings(f"{path}/config.json", **config)(folder)

    return write


def pickled(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(pickle.dumps(Bomb()))

    return write


POOL, DENSE = "sentence_transformers.models.Pooling", "sentence_transformers.models.Dense"
AUTO = {"AutoConfig": "evil.C", "AutoModel": "evil.M", "AutoTokenizer": ["evil.T", "evil.T"]}
SIZES = {"in_features": 32, "out_features": 32, "bias": True}
# name → what is done to a whole folder; all but those in HARMLESS must be refused
HOSTILE: dict[str, list[Callable[[Path], None]]] = {
    "own model type": [settings("config.json", model_type="evil", auto_map=AUTO)],
    "auto_map beside a known type": [settings("config.json", auto_map=AUTO)],
    "auto_map of another repository": [
        settings("config.json", model_type="evil", auto_map={"AutoModel": "a/b--evil.M"})
    ],
    "auto_map above the folder": [settings("config.json", model_type="evil", auto_map={"AutoModel": "../evil.M"})],
    "unknown type without auto_map": [settings("config.json", model_type="evil")],
    "own pipelines": [settings("config.json", custom_pipelines={"x": {"impl": "evil.M"}})],
    "own tokenizer by auto_map": [settings("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]})],
    "own tokenizer class": [settings("tokenizer_config.json", tokenizer_class="EvilTokenizer")],
    "tokenizer class with a path": [settings("tokenizer_config.json", tokenizer_class="evil.T")],
    "attention from the Hub": [settings("config.json", _attn_implementation="evil/pwn")],
    "attention from the Hub in a part": [settings("config.json", text_config={"attn_implementation": "evil/pwn"})],
    "unknown activation": [settings("config.json", hidden_act="evil.M")],
    "activation of subprocess": [settings("config.json", hidden_act="subprocess.Popen")],
    "pickle called safetensors": [pickled("model.safetensors")],
    "pickle beside the weights": [pickled("pytorch_model.bin")],
    "pickle instead of weights": [lambda f: (f / "model.safetensors").unlink(), pickled("pytorch_model.bin")],
    "pickle as vocabulary": [lambda f: (f / "vocab.txt").unlink(), pickled("tokenizer.json")],
    "pickle as kit.json": [pickled("kit.json")],
    "kit.json a list": [lambda f: (f / "kit.json").write_text('["evil.M"]')],
    "foreign module": [modules("evil.M")],
    "module in the folder": [modules("modeling_evil.M")],
    "module of the standard library": [modules("subprocess.Popen", args=["touch", "x"])],
    "module os.system": [modules("os.system")],
    "module like the library's": [modules("sentence_transformers_evil.M")],
    "module out of the folder": [modules(POOL, path="../elsewhere", pooling_mode="mean")],
    "foreign activation": [modules(POOL, DENSE, activation_function="evil.M", **SIZES)],
    "activation subprocess.Popen": [modules(DENSE, activation_function="subprocess.Popen", **SIZES)],
    "activation not of nn": [modules(DENSE, activation_function="torch.hub.load", **SIZES)],
    "pickled dense": [modules(DENSE, activation_function="torch.nn.Tanh", **SIZES), pickled("1_X/pytorch_model.bin")],
    "pickled dense beside others' weights": [
        modules(DENSE, activation_function="torch.nn.Tanh", **SIZES),
        pickled("1_X/pytorch_model.bin"),
        lambda f: (f / "1_X" / "other.safetensors").write_bytes((f / "model.safetensors").read_bytes()),
    ],
    "foreign module in a router": [
        modules("sentence_transformers.models.Router"),
        settings("1_X/router_config.json", types={"query_0_M": "evil.M"}, structure={"query": ["query_0_M"]}),
    ],
    "auto_map of the transformer of modules": [
        modules(POOL, pooling_mode="lasttoken"),
        settings("config.json", auto_map=AUTO),
    ],
    "word tokenizer of its own": [
        modules("sentence_transformers.models.WordEmbeddings"),
        settings("1_X/wordembedding_config.json", tokenizer_class="evil.T"),
    ],
    "modules.json a dict": [modules(POOL), lambda f: (f / "modules.json").write_text('{"type": "evil.M"}')],
    "model_args that trust": [
        modules(POOL, pooling_mode="lasttoken"),
        settings("sentence_bert_config.json", model_args={"trust_remote_code": True}),
        settings("config.json", model_type="evil", auto_map=AUTO),
    ],
}
HARMLESS = {"pickle beside the weights"}  # the safetensors are read, the pickle is not


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = write_tiny_bert(tmp_path_factory.mktemp("whole") / "tiny")
    for name in ("evil", "modeling_evil"):
        (folder / f"{name}.py").write_text(EVIL)
    return folder


def hostile(whole: Path, name: str, folder: Path) -> Path:
    """A copy of the folder, made hostile."""
    folder.mkdir(parents=True)
    for file in whole.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for change in HOSTILE[name]:
        change(folder)
    return folder


@pytest.mark.slow
def test_thirty_hostile_folders_run_nothing_though_every_question_is_answered_yes(whole: Path, tmp_path: Path) -> None:
    assert len(HOSTILE) >= 30
    mark = tmp_path / "mark"
    folders = [hostile(whole, name, tmp_path / "folders" / str(i) / "tiny") for i, name in enumerate(HOSTILE)]
    done = subprocess.run(
        [sys.executable, "-c", TRY, *map(str, folders)],
        input="y\n" * 1000,
        text=True,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "KIT_MARK": str(mark), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)},
    )
    assert not mark.exists(), "code of a model's folder ran"
    lines = done.stdout.splitlines()
    assert len(lines) == len(HOSTILE), done.stdout + done.stderr
    assert "[y/N]" not in done.stdout + done.stderr
    verdicts = dict(zip(HOSTILE, lines))
    wrong = [f"{n}: {v}" for n, v in verdicts.items() if v.split()[0] != ("loaded" if n in HARMLESS else "refused")]
    wrong += [f"{name}: {v}" for name, v in verdicts.items() if v.count(" / ") > 0]  # more than one line
    assert not wrong, "\n".join(wrong)


def test_code_of_its_own_is_refused_by_name(whole: Path, tmp_path: Path) -> None:
    for i, (name, says) in enumerate(
        {
            "own model type": r"config.json asks for Python code .* \(auto_map\)",
            "own tokenizer class": "asks for the tokenizer class 'EvilTokenizer'",
            "attention from the Hub": "config.json asks for the attention 'evil/pwn', whose code would come from",
            "attention from the Hub in a part": "asks for the attention 'evil/pwn'",
            "kit.json a list": r"expected a dict of settings in .*kit.json",
        }.items()
    ):
        with pytest.raises(KitError, match=says):
            load_encoder(hostile(whole, name, tmp_path / str(i)))
    refuse_foreign_code(whole)
    with pytest.raises(KitError, match="expected a list of settings"):
        read_settings(whole / "config.json", list)


def test_a_model_of_the_hub_is_looked_at_before_it_is_loaded(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(find, "hub_problem", lambda: "")
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", lambda *folder, **more: loaded.append(folder))
    for i, name in enumerate(("attention from the Hub", "own model type", "own tokenizer class")):
        folder = hostile(whole, name, tmp_path / str(i))
        monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *name, folder=folder, **more: str(folder))
        with pytest.raises(KitError, match="no code from a model's folder is run here"):
            load_encoder("somebody/evil-bert")
    assert loaded == []
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *name, **more: 1 / 0)
    with pytest.raises(KitError, match="expected somebody/evil-bert on the Hub, but: division by zero. Check"):
        load_encoder("somebody/evil-bert")


def test_weights_of_more_layers_than_the_config_are_refused(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shallow"
    HOSTILE["shallow"] = [settings("config.json", num_hidden_layers=1)]
    try:
        hostile(whole, "shallow", folder)
    finally:
        del HOSTILE["shallow"]
    with pytest.raises(KitError, match=r"of more layers than it has \(the first is .*layer\.1\."):
        load_encoder(folder)


# (file, setting, value, what is said) of a folder that the kit has saved and somebody has changed so
CHANGED = [
    ("config.json", "num_hidden_layers", 0, "expected num_hidden_layers in .* as a whole number from 1, got 0"),
    ("config.json", "num_attention_heads", -1, "expected num_attention_heads in .*, got -1"),
    ("config.json", "num_hidden_layers", 100_000, "expected num_hidden_layers in .* of at most [0-9]+, .* got 100000"),
    ("config.json", "vocab_size", 10**12, "expected vocab_size in .* of at most [0-9]+, as the weights .* allow"),
    ("config.json", "max_position_embeddings", 10**9, "expected max_position_embeddings in .* of at most [0-9]+, as"),
    ("config.json", "max_position_embeddings", 0, "expected max_position_embeddings in .* as a whole number from 1"),
    ("config.json", "type_vocab_size", 10**9, "expected type_vocab_size in .* of at most [0-9]+, as the weights"),
    ("config.json", "type_vocab_size", -1, "expected type_vocab_size in .* as a whole number from 0, got -1"),
    ("config.json", "layer_norm_eps", -1.0, "expected layer_norm_eps in .* above 0, got -1.0"),
    ("config.json", "layer_norm_eps", float("nan"), "expected JSON in .*NaN is no number"),
    ("kit.json", "pooling", ["mean"], "unknown pooling a list"),
    ("kit.json", "max_length", 10**30, "expected max_length between 3 and"),
    ("kit.json", "first_layer", "0", "expected first_layer 0"),
    ("modules.json", "type", None, "expected the type of a module in .* as text, got None"),
    ("modules.json", "path", "\0", "expected the path of a module in .* as a path"),
    ("modules.json", "path", "x" * 5000, "expected the path of a module in .* as a path"),
    ("sentence_bert_config.json", "max_seq_length", "evil", "expected max_seq_length of .* from 3, got 'evil'"),
    ("sentence_bert_config.json", "max_seq_length", float("inf"), "expected JSON in .*Infinity is no number"),
    ("1_Pooling/config.json", "pooling_mode", 5, "expected a pooling in .*, got 5"),
    ("1_Pooling/config.json", "pooling_mode", [], "expected a pooling in .*, got a list"),
]


def test_a_saved_folder_that_somebody_has_changed_is_one_sentence(whole: Path, tmp_path: Path) -> None:
    saved = load_encoder(whole).save(tmp_path / "saved")
    for name, key, value, says in CHANGED:
        file, ours = saved / name, name in ("config.json", "kit.json")
        content, kept = file.read_text(), (saved / "kit.json").read_text()
        settings = json.loads(content)
        (settings[-1] if isinstance(settings, list) else settings)[key] = value
        file.write_text(json.dumps(settings))
        if not ours:  # without kit.json it is read as sentence-transformers would
            (saved / "kit.json").unlink()
        with pytest.raises(KitError, match=says):
            load_any(str(saved))
        file.write_text(content)
        (saved / "kit.json").write_text(kept)
    (saved / "kit.json").unlink()
    config = json.loads((saved / "config.json").read_text())
    for value in (None, "x", ["x"], {"a": 1}, 0):
        (saved / "config.json").write_text(json.dumps(config | {"max_position_embeddings": value}))
        with pytest.raises(KitError, match="expected max_position_embeddings in .* as a whole number from 1, got "):
            load_any(str(saved))
    (saved / "modules.json").write_text("[]")
    with pytest.raises(KitError, match="expected modules in .*, got none"):
        load_any(str(saved))
