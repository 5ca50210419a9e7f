"""sentence-transformers with one of its backends, asked line by line: the other side of encode_peers.py.

    <python of the peers' environment> benchmarks/encode_peer.py FOLDER BACKEND THREADS

Runs where the kit is not installed. BACKEND: torch-bf16, onnx-fp32, onnx-int8, openvino-fp32 or openvino-itself. Reads
lines {"texts": FILE of a JSON list, "batch": N, "keep": FILE for the vectors or null}; answers {"seconds": S} to each,
and {"versions": …} to the start.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path


def main(folder: str, backend: str, threads: int) -> None:
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "OMP_NUM_THREADS": str(threads)}
    for name in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"):  # as `import kit` does
        os.environ.setdefault(name, "1")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the libraries print is no answer
    model = loaded(folder, backend, threads)
    names = ("sentence-transformers", "transformers", "onnxruntime", "openvino")
    print(json.dumps({"versions": {name: version(name) for name in names}}), file=answers)
    for line in sys.stdin:
        asked = json.loads(line)
        texts = json.loads(Path(asked["texts"]).read_text("utf-8"))
        began = time.perf_counter()
        vectors = model.encode(texts, batch_size=asked["batch"], show_progress_bar=False)
        seconds = time.perf_counter() - began
        if asked["keep"]:
            import numpy

            numpy.save(asked["keep"], vectors)
        print(json.dumps({"seconds": seconds}), file=answers)


def loaded(folder: str, backend: str, threads: int):
    """The model of `folder`, exported for the backend where it has to be."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    name, precision = backend.split("-")

    def load(settings: dict) -> SentenceTransformer:
        return SentenceTransformer(
            folder, device="cpu", backend=name, model_kwargs=settings, trust_remote_code=False, local_files_only=True
        )

    if name == "torch":
        return load({"dtype": torch.bfloat16})
    if name == "openvino":
        hints = {"INFERENCE_PRECISION_HINT": "f32"} if precision == "fp32" else {}
        return load({"ov_config": {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", **hints}})
    import onnxruntime

    file = Path(folder) / "sentence_bert_config.json"  # optimum takes no "model_args": it exports BERT's pooler, unused
    file.write_text(json.dumps({k: v for k, v in json.loads(file.read_text()).items() if k != "model_args"}))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    settings = {"provider": "CPUExecutionProvider", "session_options": options}
    model = load(settings)
    if precision == "fp32":
        return model
    from sentence_transformers import export_dynamic_quantized_onnx_model

    model.save_pretrained(folder)  # the export beside the weights: what is quantised is read from there
    export_dynamic_quantized_onnx_model(model, "avx512_vnni", folder)
    return load(settings | {"file_name": "onnx/model_qint8_avx512_vnni.onnx"})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
