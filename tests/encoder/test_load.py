"""Finding and loading an encoder: path, mirror, bundle, Hub, and folders that are not whole."""

from __future__ import annotations

import json
import socket
import warnings
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging

import kit.encoder.find as find
from kit.encoder import DEFAULT, bundled_models, find_model, load_encoder, random_encoder
from kit.encoder.quiet import quiet_transformers
from kit.errors import KitError, KitWarning
from tests.tiny import SENTENCES, tiny_encoder, write_tiny_bert

GOOGLE = "google/bert_uncased_L-2_H-128_A-2"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny_bert(tmp_path / "tiny")


@pytest.fixture(autouse=True)
def no_mirror_no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(find, "hub_problem", lambda: "no answer within 1.2 seconds")


def test_a_folder_is_loaded_ready_to_encode(tiny: Path) -> None:
    encoder = load_encoder(str(tiny))
    assert (encoder.pooling, encoder.max_length, encoder.first_layer) == ("mean", 64, 1)  # it has 64 positions
    assert not encoder.training and encoder.dim == 32
    assert next(encoder.parameters()).dtype == torch.float32
    assert encoder.source.tier == "path" and not encoder.source.is_fallback
    assert str(tiny) in encoder.source.summary()


@pytest.mark.parametrize("load", [load_encoder, random_encoder])
def test_loading_leaves_the_random_state_and_makes_weights_that_can_learn(load) -> None:
    before = torch.get_rng_state()
    with torch.inference_mode():
        encoder = load(DEFAULT)
    assert torch.equal(before, torch.get_rng_state())
    assert not any(tensor.is_inference() for tensor in (*encoder.parameters(), *encoder.buffers()))


def test_no_bar_and_no_report_on_the_screen(tiny: Path, capfd: pytest.CaptureFixture) -> None:
    load_encoder(tiny).save(tiny.parent / "copy")
    shown = capfd.readouterr()
    assert shown.out == "" and shown.err == ""


def test_transformers_is_quiet_within_and_afterwards_as_it_was() -> None:
    before = logging.get_verbosity()
    try:
        for level in (logging.INFO, logging.ERROR):
            for bars in (True, False):
                logging.set_verbosity(level)
                logging.enable_progress_bar() if bars else logging.disable_progress_bar()
                with quiet_transformers():
                    assert logging.get_verbosity() == logging.ERROR and not logging.is_progress_bar_enabled()
                assert logging.get_verbosity() == level and logging.is_progress_bar_enabled() is bars
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()


def test_a_model_of_the_hub_is_found_in_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on the Hub: the heads of pretraining are there, and the vocabulary is a text file.
    folder = write_tiny_bert(
        tmp_path / "models" / GOOGLE.replace("/", "__"), positions=512, hidden=128, as_pretrained=True
    )
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    encoder = load_encoder(GOOGLE)
    assert (encoder.source.tier, encoder.source.location) == ("mirror", str(folder))
    assert not encoder.source.is_fallback and "mirror" in encoder.source.summary()
    assert encoder.dim == 128 and encoder.max_length == 128
    torch.testing.assert_close(encoder.encode(SENTENCES), load_encoder(folder).encode(SENTENCES))


def test_a_mirror_that_is_missing_no_folder_or_empty_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    for name, what in (("nope", "not a folder"), ("file", "not a folder"), ("empty", "empty")):
        monkeypatch.setenv("KIT_DATA", str(tmp_path / name))
        for model in (DEFAULT, GOOGLE):
            with pytest.raises(KitError, match=f"KIT_DATA names .*{name}, which is {what}: .* unset it"):
                load_encoder(model)


def test_the_bundled_encoder_is_the_default() -> None:
    assert DEFAULT in bundled_models()
    source = find_model()
    assert (source.name, source.tier) == (DEFAULT, "bundle") and "bundled with the kit" in source.summary()


def test_without_a_hub_the_bundle_stands_in_and_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **more: asked.append(address))
    with pytest.warns(KitWarning, match=f"{GOOGLE} .*could not be reached.*{DEFAULT} stands in") as told:
        encoder = load_encoder(GOOGLE)
    assert asked == []  # after the probe nobody asks the network again: that is where the retries hang
    assert len(told) == 1 and encoder.source.is_fallback
    assert told[0].filename == __file__, "it names the reader's line"
    assert f"standing in for {GOOGLE}" in encoder.source.summary()


def test_a_model_of_sentence_transformers_is_said_to_be_taken_in_part(tiny: Path) -> None:
    (tiny / "modules.json").write_text("[]")
    with pytest.warns(KitWarning, match="takes the transformer alone, with mean pooling unless .*load_any") as told:
        load_encoder(tiny)
    assert len(told) == 1 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_encoder(tiny, pooling="cls")  # who says so has looked
        load_encoder(load_encoder(tiny, pooling="cls").save(tiny.parent / "saved"))  # kit.json has what its modules say


def test_with_a_hub_the_name_goes_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "hub_problem", lambda: "")
    assert find_model("somebody/some-bert").tier == "hub"


def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that the Hub's libraries have fetched earlier."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    kept = tmp_path / f"models--{GOOGLE.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0badcafe")
    return write_tiny_bert(kept / "snapshots" / "0badcafe")


def test_without_a_hub_what_its_libraries_have_kept_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cached(tmp_path, monkeypatch)
    encoder = load_encoder(GOOGLE)
    assert (encoder.source.tier, encoder.source.location) == ("cache", str(folder))
    assert not encoder.source.is_fallback and "from the Hub's cache on this machine" in encoder.source.summary()
    (folder / "model.safetensors").unlink()  # as after a download that was broken off
    with pytest.warns(KitWarning, match=f"{DEFAULT} stands in"):
        assert find_model(GOOGLE).is_fallback


def test_a_name_that_the_hub_does_not_have_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def unknown(name: str, **_: object) -> str:
        raise RuntimeError(f"404 for {name}")

    monkeypatch.setattr(find, "hub_problem", lambda: "")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", unknown)
    with pytest.raises(KitError, match="expected nobody/nothing on the Hub, but: 404 for nobody/nothing"):
        load_encoder("nobody/nothing")


@pytest.mark.parametrize("name", [Path("runs/mine"), Path("bert-base-uncased"), "here/mine"])
def test_a_folder_that_is_missing_is_no_name_on_the_hub(
    name: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(KitError, match=f"a model folder at {name}, but there is no such folder"):
        load_encoder(name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("kit-bert-tinny", f"unknown encoder .*'kit-bert-tinny': did you mean '{DEFAULT}'"),
        ("bert-base-uncasd", "did you mean 'bert-base-uncased'"),
        ("./nope", r"a model folder at ./nope, but there is no such folder"),
        ("~/no/such/model", "a model folder at ~/no/such/model, but there is no such folder"),
        ("a/b/c", "a model folder at a/b/c, but there is no such folder"),
    ],
)
def test_a_name_that_exists_nowhere(name: str, sentence: str) -> None:
    with pytest.raises(KitError, match=sentence):
        load_encoder(name)


def test_a_file_is_not_a_folder(tiny: Path) -> None:
    with pytest.raises(KitError, match="this is a file"):
        load_encoder(tiny / "model.safetensors")


def test_unknown_pooling_and_first_layer(tiny: Path) -> None:
    with pytest.raises(KitError, match="unknown pooling 'maen': did you mean"):
        load_encoder(tiny, pooling="maen")
    with pytest.raises(KitError, match=r"first_layer 0 .* or 1 .*got 2"):
        load_encoder(tiny, first_layer=2)


def spoil(folder: Path, how: str) -> None:
    weights, config = folder / "model.safetensors", folder / "config.json"
    if how == "no config":
        config.unlink()
    elif how == "no weights":
        weights.unlink()
    elif how == "cut":
        weights.write_bytes(weights.read_bytes()[:-1000])
    elif how == "garbage":
        weights.write_bytes(b"not a model" * 50)
    elif how == "empty":
        weights.write_bytes(b"")
    elif how == "config no json":
        config.write_text("{oops")
    elif how == "kit.json no json":
        (folder / "kit.json").write_text("{oops")
    else:
        config.write_text(
            json.dumps(
                {
                    **json.loads(config.read_text()),
                    **{
                        "wider": {"hidden_size": 64},
                        "deeper": {"num_hidden_layers": 3},
                        "strange": {"model_type": "brt"},
                    }[how],
                }
            )
        )


def test_a_width_that_the_weights_cannot_fill_is_told_before_memory_is_taken(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is below the widest weight, as a vocabulary is wide: 4 GB went to a model of 8,000."""
    config = tiny / "config.json"
    settings = json.loads(config.read_text("utf-8"))
    vocabulary = settings["vocab_size"] - 1
    config.write_text(json.dumps({**settings, "hidden_size": vocabulary}), "utf-8")
    monkeypatch.setattr("transformers.AutoModel.from_pretrained", lambda *_, **__: pytest.fail("it was made"))
    with pytest.raises(
        KitError, match=f"expected hidden_size in .* as the weights beside it have it, got {vocabulary}"
    ):
        load_encoder(tiny)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("no config", "has no config.json"),
        ("no weights", "has no model.safetensors: re-save"),
        ("cut", "whole safetensors weights in .* damaged"),
        ("garbage", "whole safetensors weights in .* damaged"),
        ("empty", "whole safetensors weights in .* damaged"),
        ("config no json", "expected JSON in .*config.json, but it is damaged"),
        ("kit.json no json", "expected JSON in .*kit.json, but it is damaged"),
        ("wider", "expected all weights of tiny .* of another shape"),
        ("deeper", "expected all weights of tiny .* missing .*encoder.layer.2"),
        ("strange", "expected tiny to load"),
    ],
)
def test_a_folder_that_is_not_whole(tiny: Path, how: str, sentence: str) -> None:
    spoil(tiny, how)
    with pytest.raises(KitError, match=sentence) as told:
        load_encoder(tiny)
    assert "\n" not in str(told.value)


def test_a_folder_without_a_tokenizer(tiny: Path) -> None:
    for name in ("vocab.txt", "tokenizer_config.json"):
        (tiny / name).unlink()
    with pytest.raises(KitError, match=r"expected a vocabulary .* has none"):
        load_encoder(tiny)


def rewritten(folder: Path, change) -> None:
    """The weights of a folder after `change` of {name: tensor}."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_not_finite_are_refused(tiny: Path, bad: float) -> None:
    """Where they spoil no vector that anybody looks at, they would give figures that mean nothing."""
    name = "encoder.layer.1.attention.self.query.weight"
    rewritten(tiny, lambda tensors: tensors[name][3].fill_(bad))
    with pytest.raises(KitError, match=rf"finite weights in .*tiny, got .* in 1 tensors \(the first is {name}\)"):
        load_encoder(tiny)


def test_large_weights_are_finite_and_a_pooler_is_not_looked_at(tiny: Path) -> None:
    def change(tensors: dict[str, torch.Tensor]) -> None:
        tensors["pooler.dense.weight"].fill_(torch.nan)  # it is dropped
        tensors["embeddings.position_embeddings.weight"][60:].fill_(3e38)  # their sum is infinite

    rewritten(tiny, change)
    assert load_encoder(tiny).encode(SENTENCES).isfinite().all()


def test_the_tokenizer_of_another_model(tiny: Path) -> None:
    with (tiny / "vocab.txt").open("a") as file:
        file.write("one\nmore\nword\n")
    with pytest.raises(KitError, match=r"vocabulary of at most .* belongs to another model"):
        load_encoder(tiny)


@pytest.mark.parametrize("moved", ["dog", "all of them"])
def test_ids_beyond_the_embeddings_are_refused(tiny: Path, moved: str) -> None:
    """Their number fits, so the first text with such a word would stop, and no other."""
    AutoTokenizer.from_pretrained(tiny).save_pretrained(tiny)
    content = json.loads((tiny / "tokenizer.json").read_text())
    pieces = content["model"]["vocab"]
    rows = len(pieces)
    pieces.update({piece: place + rows for piece, place in pieces.items() if moved in (piece, "all of them")})
    (tiny / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(KitError, match=f"the ids of all pieces in .*tiny to be below {rows}, .* got \\d+ for '"):
        load_encoder(tiny)


@pytest.mark.parametrize("fast", [False, True])
def test_a_config_that_asks_for_tuples_or_for_all_states_is_read_as_usual(tiny: Path, fast: bool) -> None:
    usual, config = load_encoder(tiny), tiny / "config.json"
    asked = {"return_dict": False, "output_hidden_states": True, "output_attentions": True, "torchscript": True}
    config.write_text(json.dumps({**json.loads(config.read_text()), **asked}))
    encoder = load_encoder(tiny)
    torch.testing.assert_close(encoder.encode(SENTENCES, fast=fast), usual.encode(SENTENCES, fast=fast))
    torch.testing.assert_close(encoder.embed(encoder.tokenize(SENTENCES)), usual.embed(usual.tokenize(SENTENCES)))
    random_encoder(tiny).encode(SENTENCES, fast=fast)
    assert load_encoder(encoder.save(tiny.parent / "saved")).bert.config.return_dict


def test_pickled_weights_are_not_loaded(tiny: Path) -> None:
    (tiny / "model.safetensors").rename(tiny / "pytorch_model.bin")
    with pytest.raises(KitError, match="pickled weights are not loaded"):
        load_encoder(tiny)


def test_transformers_is_told_to_run_no_foreign_code(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the refusal of folders that hold some: what is loaded by a name has no folder to look into."""
    told = []
    for loader, way in ((AutoModel, "from_pretrained"), (AutoTokenizer, "from_pretrained"), (AutoModel, "from_config")):
        plain = getattr(loader, way)
        spy = lambda *args, plain=plain, **rest: told.append(rest["trust_remote_code"]) or plain(*args, **rest)  # noqa: E731
        monkeypatch.setattr(loader, way, spy)
    random_encoder(tiny)
    assert told == [False] * 3


def test_random_weights_are_seeded_and_not_the_trained_ones(tiny: Path) -> None:
    trained, one, again, two = (tiny_encoder(tiny), *(random_encoder(tiny, seed=s, pooling="max") for s in (5, 5, 6)))
    shapes = [{k: v.shape for k, v in e.bert.state_dict().items()} for e in (trained, one)]
    assert shapes[0] == shapes[1] and one.pooling == "max" and not one.training
    assert torch.equal(one.encode(SENTENCES), again.encode(SENTENCES))
    assert one.tokenize(SENTENCES) == trained.tokenize(SENTENCES)
    matrices = [k for k, v in trained.bert.state_dict().items() if v.ndim == 2]
    for other in (trained, two):
        assert all(not torch.equal(other.bert.state_dict()[k], one.bert.state_dict()[k]) for k in matrices)


def test_random_weights_are_not_passed_off_as_the_model(tiny: Path) -> None:
    source = random_encoder(tiny, seed=3).source
    assert "random weights (seed 3)" in source.summary() and not source.is_fallback


def test_random_weights_leave_the_callers_random_numbers_alone(tiny: Path) -> None:
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    random_encoder(tiny)
    assert torch.equal(torch.rand(3), expected)


def test_loading_says_nothing_about_the_bundle_when_all_is_well(tiny: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_encoder(tiny)


def test_the_encoder_of_a_run_is_called_like_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lies in a folder `encoder`: a training that begins with one must not go on with that of another."""
    tiny_encoder(tmp_path / "model").save(tmp_path / "first" / "encoder")
    tiny_encoder(tmp_path / "model").save(tmp_path / "plain")
    monkeypatch.chdir(tmp_path / "first")
    for path, name in (("encoder", "first"), (tmp_path / "first" / "encoder", "first"), ("../plain/", "plain")):
        assert find_model(str(path)).name == name


def test_an_encoder_on_the_cpu_is_the_same_on_a_machine_with_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The kind of attention goes by where the encoder is, not by what else the machine has."""
    tiny_encoder(tmp_path).save(tmp_path / "saved")
    for there in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        for encoder in (load_encoder(tmp_path / "saved"), random_encoder(tmp_path / "saved")):
            assert encoder.bert.config._attn_implementation == "eager"


class Busy:
    """A tokenizer that another thread is using: what changes it fails, as that of an older version does."""

    def __init__(self, backend) -> None:
        self._backend = backend

    def __getattr__(self, name: str):
        if name in ("no_truncation", "no_padding"):
            raise RuntimeError("Already borrowed")
        return getattr(self._backend, name)


@pytest.mark.parametrize("fast", ["0", "1"])
def test_a_tokenizer_in_use_by_another_thread_is_not_changed(
    fast: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """While one thread reads ahead, a callback may encode."""
    monkeypatch.setenv("KIT_FAST", fast)
    encoder = tiny_encoder(tmp_path)
    plain = encoder.tokenize(SENTENCES)  # from here on nothing is cut or padded
    tokenizer = encoder.tokenizer
    monkeypatch.setattr(type(tokenizer), "backend_tokenizer", property(lambda self: Busy(self._tokenizer)))
    assert encoder.tokenize(SENTENCES) == plain


def test_the_device_is_torchs_own_where_none_is_named_and_an_unknown_one_is_told() -> None:
    assert load_encoder(device=None).device == torch.device("cpu")
    with pytest.raises(KitError, match="expected a device that torch has here, such as 'cpu', got 'tpu9'"):
        load_encoder(device="tpu9")
