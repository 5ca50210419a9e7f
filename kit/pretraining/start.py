"""A head start for the word embeddings: what the corpus's own counts already say.

A masked language model spends its first tens of millions of tokens on a plateau where it
predicts little more than how frequent each word is, because the embeddings of words that
mean alike have yet to find one another. That much can be counted. Positive pointwise mutual
information of word pieces within a window, factorised by a truncated SVD (Levy & Goldberg
2014), gives every piece a vector in a minute, and the unigram frequencies give the output
bias. A start, not a freeze: all of it is trained on.
"""

from __future__ import annotations

import torch

from kit.pretraining.corpus import Stream


def count_pairs(stream: Stream, vocabulary: int, window: int = 8) -> torch.Tensor:
    """Symmetric counts [V, V] of pieces at most `window` apart, nearer ones weighted 1/distance."""
    tokens = stream.tokens.long()
    counts = torch.zeros(vocabulary * vocabulary)
    for distance in range(1, window + 1):
        pairs = tokens[:-distance] * vocabulary + tokens[distance:]
        counts += torch.bincount(pairs, minlength=vocabulary**2).float() / distance
    counts = counts.view(vocabulary, vocabulary)
    return counts + counts.T


def embeddings_from_counts(
    counts: torch.Tensor, dim: int, scale: float = 0.02, seed: int = 0, smoothing: float = 0.75
) -> torch.Tensor:
    """Word vectors [V, dim]: the SVD of the positive pointwise mutual information.

    `smoothing` flattens the context distribution (Levy, Goldberg & Dagan 2015), so that rare
    contexts do not dominate. Rows are centred and given one length, scale·√dim, the expected
    length of BERT's own initialisation; pieces never seen get a random direction, and a
    vocabulary of fewer than `dim` pieces zeros in the columns it cannot fill.
    """
    torch.manual_seed(seed)
    total = counts.sum()
    word = counts.sum(1) / total
    context = counts.sum(0) ** smoothing
    context = context / context.sum()
    expected = (word[:, None] * context[None, :]).clamp(min=1e-12)
    information = (counts / total / expected).clamp(min=1.0).log_()  # positive PMI
    u, s, _ = torch.svd_lowrank(information, q=min(dim + 16, len(counts)), niter=3)
    vectors = u[:, :dim] * s[:dim].sqrt()
    vectors = torch.nn.functional.pad(vectors, (0, dim - vectors.shape[1]))
    vectors = vectors - vectors.mean(0)
    noise = torch.randn_like(vectors) * 1e-3
    seen = (counts.sum(1) > 0)[:, None]
    return torch.nn.functional.normalize(torch.where(seen, vectors, noise), dim=1) * scale * dim**0.5


@torch.no_grad()
def head_start(model, stream: Stream, seed: int = 0) -> None:
    """Set the model's word embeddings (tied to the output) and output bias from `stream`."""
    words = model.bert.embeddings.word_embeddings.weight  # [V, H]
    counts = count_pairs(stream, len(words))
    words.copy_(embeddings_from_counts(counts, words.shape[1], seed=seed))
    frequency = torch.bincount(stream.tokens.long(), minlength=len(words)).float() + 1.0
    model.cls.predictions.bias.copy_((frequency / frequency.sum()).log())


@torch.no_grad()
def start_from(model, folder: str, seed: int = 0) -> None:
    """Set the model's weights from those of `folder`: the same size as they are, a smaller one grown.

    Half as wide: every unit twice, and what reads the copies split at random between them, so that
    the function stays and the copies part when trained (Net2Net, Chen et al. 2016; bert2BERT, Chen et al.
    2022). More than half as wide: the first units twice, which is only near the function, as LayerNorm then counts
    some of them more than others. Fewer layers: the stack of them repeated (Gong et al. 2019), which is near it, too.
    Errors: `KitError` where `folder` has more layers, or a width that is larger, or smaller than half.
    """
    from safetensors.torch import load_file

    from kit.errors import KitError

    old = {name: value.float() for name, value in load_file(f"{folder}/model.safetensors").items()}
    dim, layers = model.config.hidden_size, model.config.num_hidden_layers
    had = old["bert.embeddings.word_embeddings.weight"].shape[1]
    depth = 1 + max(int(name.split(".")[3]) for name in old if name.startswith("bert.encoder.layer."))
    if not had <= dim <= 2 * had or layers < depth:
        raise KitError(
            f"expected a model to start from that is at most {dim} and at least {dim // 2} wide and has at most "
            f"{layers} layers, but {folder} is {had} wide and has {depth}: choose another."
        )
    generator = torch.Generator().manual_seed(seed)
    for name, target in model.state_dict().items():
        if name.startswith("cls.predictions.decoder"):
            continue  # tied
        source, parts = name, name.split(".")
        if name.startswith("bert.encoder.layer."):
            parts[3] = str(int(parts[3]) % depth)
            source = ".".join(parts)
        target.copy_(old[source] if dim == had else _widened(old[source], target.shape, source, generator))


def _widened(old: torch.Tensor, shape: torch.Size, name: str, generator: torch.Generator) -> torch.Tensor:
    """`old` with its first units twice, all of them if it doubles; columns that read copies sum to the old column."""
    if old.shape == shape:  # the output bias: one number a word piece
        return old
    copies = shape[-1] - old.shape[-1]  # of units that are read; for vectors and embeddings, of all there are
    if old.dim() == 2 and "embeddings" not in name:
        share = 0.5 + 0.25 * (2 * torch.rand(shape[0], old.shape[1], generator=generator) - 1)
        share[:, copies:] = 1
        rows = torch.cat([old, old[: shape[0] - old.shape[0]]])
        return torch.cat([rows * share, (rows * (1 - share))[:, :copies]], dim=1)
    if name.startswith("cls.predictions.transform.LayerNorm"):  # a word's score is a sum over the copies as well
        old = torch.cat([old[:copies] / 2, old[copies:]])
    return torch.cat([old, old[..., :copies]], dim=-1)
