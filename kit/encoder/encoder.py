"""A BERT with a pooling: sentences in, vectors out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import torch
from torch import nn

from kit.checks.encoder_parts import check_marks, check_max_length
from kit.checks.sentences import check_sentences, warn_of_unknown_words, warn_of_unread_ends
from kit.encoder.find import ModelSource
from kit.encoder.pooling import ALL_POOLINGS, PADDED_POOLINGS, pool
from kit.errors import KitError, KitWarning, check_name, shown
from kit.fast import enabled
from kit.number_checks import is_whole, whole_number


class Encoder(nn.Module):
    """A transformer `bert`, its fast `tokenizer`, and the pooling from token vectors to one vector.

    pooling: a name in `ALL_POOLINGS`; first_layer: for "first_last" only; max_length: word pieces in a sentence,
    [CLS] and [SEP] included. Errors: `KitError` for another pooling or layer, a length out of reach, and a tokenizer
    without [CLS], [SEP] or [PAD]. Lesson 01.
    """

    def __init__(
        self,
        bert: nn.Module,
        tokenizer,
        pooling: str = "mean",
        max_length: int = 128,
        first_layer: int = 1,
        source: ModelSource | None = None,
    ):
        super().__init__()
        check_name("pooling", pooling, ALL_POOLINGS)
        check_marks(tokenizer)
        check_max_length(max_length, bert)
        if not is_whole(first_layer, 0) or first_layer > 1:
            raise KitError(f"expected first_layer 0 (embeddings) or 1 (first block), got {first_layer!r}.")
        self.bert, self.tokenizer, self.pooling = bert, tokenizer, pooling
        self.max_length, self.first_layer, self.source = int(max_length), int(first_layer), source
        self._said_truncated = False

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return self.bert.config.hidden_size

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Sentence vectors [rows, dim] of token ids [rows, length] under a mask of the same shape."""
        out = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=self.pooling == "first_last"
        )
        hidden = out.hidden_states if self.pooling == "first_last" else (out.last_hidden_state,)
        if self.pooling == "mean_without_cls":
            attention_mask = attention_mask * (input_ids != self.tokenizer.cls_token_id)
        return pool(self.pooling, hidden, attention_mask, self.first_layer)

    def tokenize(self, sentences: list[str]) -> list[list[int]]:
        """Token ids of each sentence, [CLS] first and [SEP] last, cut at `max_length`.

        The first cut gives a warning.
        Errors: `KitError` for an empty list, a blank sentence, or something not a string.
        """
        texts = check_sentences(sentences, pieces=self.max_length)
        backend = self.tokenizer.backend_tokenizer  # `tokenizer(…)` would also build masks and offsets
        if backend.truncation or backend.padding:  # not always: another thread may be at it, see `kit.scaling`
            backend.no_truncation()
            backend.no_padding()
        if enabled():
            from kit.fast.word_pieces import pieces_of

            ids = pieces_of(backend, texts)
        else:
            ids = [row.ids for row in backend.encode_batch_fast(texts, add_special_tokens=True)]
        warn_of_unread_ends(texts, ids, self.max_length)
        too_long = [i for i, row in enumerate(ids) if len(row) > self.max_length]
        for i in too_long:
            ids[i] = [*ids[i][: self.max_length - 1], self.tokenizer.sep_token_id]
        if too_long and not self._said_truncated:
            self._said_truncated = True
            warnings.warn(
                KitWarning(
                    f"{len(too_long)} of {len(ids)} sentences are longer than {self.max_length} word pieces and were "
                    f"cut there, such as {shown(texts[too_long[0]])}; said once."
                ),
                stacklevel=3,
            )
        return ids

    def embed(
        self, token_ids: list[list[int]], microbatch_tokens: int | None = None, fast: bool | None = None
    ) -> torch.Tensor:
        """Vectors [rows, dim] of tokenised sentences, in the order given, with a graph.

        One padded pass over all rows. With `microbatch_tokens`, and if `kit.fast.enabled(fast)`, the rows go through
        sorted by length in micro-batches of at most so many tokens, packed without padding where the encoder
        is a BERT on a CPU: the same vectors to rounding (see `kit.fast.microbatches`). A pooling that depends on
        padding always takes the padded pass.
        """
        if microbatch_tokens is None or not any(token_ids) or self.pooling in PADDED_POOLINGS or not enabled(fast):
            return self.embed_padded(token_ids)
        from kit.fast.microbatches import embed_in_microbatches

        return embed_in_microbatches(self, token_ids, microbatch_tokens)

    def embed_padded(self, token_ids: list[list[int]]) -> torch.Tensor:
        """Vectors [rows, dim] of tokenised sentences, padded to the longest."""
        ids, mask = pad(token_ids, self.tokenizer.pad_token_id)
        return self(ids.to(self.device), mask.to(self.device))

    def encode(
        self,
        sentences: list[str],
        batch_size: int = 64,
        progress: bool = False,
        precision: str = "fp32",
        fast: bool | None = None,
    ) -> torch.Tensor:
        """Sentence vectors [n, dim], float32, on the CPU, in the order given; dropout off.

        Batched by length (in the order given if the pooling depends on padding). Errors: `KitError` for bad arguments.
        batch_size: sentences in a batch; with the fast code at most as many tokens as so many sentences of `max_length`
        have, packed on a CPU (see `embed`). precision: "fp32"; "bf16" (where it does the least harm: on a CPU, with the
        fast code, the components of a vector of length 1 differ by up to 1.5e-3, with pooling "max" 2e-3); "bf16_all"
        (the fastest: its cosine with fp32 is at least 0.999). `progress` shows a bar. fast: see `kit.fast.enabled`.
        """
        from tqdm.auto import tqdm

        whole_number("batch_size", batch_size, 1)
        check_name("precision", precision, ("fp32", "bf16", "bf16_all"))
        ids = self.tokenize(sentences)
        warn_of_unknown_words(sentences, ids, self.tokenizer)
        vectors = torch.empty(len(ids), self.dim, dtype=torch.float32, device="cpu")
        was_training = self.training
        self.eval()
        bar = tqdm(total=len(ids), desc="encode", unit=" sentences", leave=False, disable=not progress)
        bf16 = torch.autocast(self.device.type, torch.bfloat16, enabled=precision != "fp32")
        try:
            # Closed at once where somebody interrupts: a notebook keeps the frame, and so the threads would go on.
            batches = closing(self._embedded(ids, batch_size, precision, fast))
            with torch.inference_mode(), bf16, batches as embedded:
                for rows, found in embedded:
                    vectors[rows] = found.float().cpu()
                    bar.update(len(rows))
        finally:
            bar.close()
            self.train(was_training)
        return vectors

    def _embedded(
        self, ids: list[list[int]], batch_size: int, precision: str, fast: bool | None
    ) -> Iterator[tuple[list[int], torch.Tensor]]:
        """The rows of each batch of `encode`, and their vectors."""
        by_length = self.pooling not in PADDED_POOLINGS
        if by_length and enabled(fast):
            from kit.fast.microbatches import can_encode_in_passes, encode_in_passes

            if can_encode_in_passes(self):
                yield from encode_in_passes(self, ids, batch_size * self.max_length, precision)
                return
        order = list(range(len(ids)))
        if by_length:
            order.sort(key=lambda i: len(ids[i]))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            yield rows, self.embed_padded([ids[i] for i in rows])

    def save(self, folder: Path | str, card: str = "") -> Path:
        """Write a folder that both `load_encoder` and `SentenceTransformer(folder)` load; card: its README.md."""
        from kit.encoder.save import save_encoder

        return save_encoder(self, folder, card)


def pad(token_ids: list[list[int]], pad_id: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids [rows, longest] and attention mask of the same shape. Errors: `KitError` for no row. Lesson 01."""
    if not (longest := max(map(len, token_ids), default=0)):
        raise KitError(f"expected at least one row with a token id in it, got {len(token_ids)} rows without any.")
    ids = torch.tensor([row + [pad_id] * (longest - len(row)) for row in token_ids])
    lengths = torch.tensor([len(row) for row in token_ids])
    return ids, (torch.arange(longest) < lengths[:, None]).long()
