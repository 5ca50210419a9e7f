"""Whole-word masking: its rules, checked against a plain loop over words, and its proportions."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from kit.training.masking import IGNORE, Pieces, mask_whole_words, masked_cross_entropy

PAD, UNK, CLS, SEP, MASK = range(5)
WORDS, VOCABULARY = 60, 100  # ids 5 to 59 begin a word, 60 to 99 continue one


@pytest.fixture
def pieces() -> Pieces:
    ids = torch.arange(VOCABULARY)
    return Pieces(continues=ids >= WORDS, special=ids < 5, mask_id=MASK, first_word_id=5)


def rows(n: int, length: int = 128, seed: int = 0, padded: bool = True) -> torch.Tensor:
    """Rows with words of one to four pieces, [CLS] and [SEP], a document's end inside, padding."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, WORDS, (n, length), generator=generator)
    ids[torch.rand(n, length, generator=generator) < 0.3] = WORDS  # continues the word before
    spare = torch.randint(WORDS, VOCABULARY, (n, length), generator=generator)
    ids = torch.where(ids == WORDS, spare, ids)
    ids[:, 0], ids[:, -1] = CLS, SEP
    ids[::3, length // 2] = SEP
    ids[1::5, 1] = WORDS  # a window that begins in the middle of a word
    if padded:
        for row in range(0, n, 4):
            end = int(torch.randint(4, length, (1,), generator=generator))
            ids[row, end - 1], ids[row, end:] = SEP, PAD
    return ids


def words_of(row: list[int]) -> list[list[int]]:
    """The slow way: positions of each word; specials belong to none, and end the word before them."""
    words: list[list[int]] = []
    open_word = False
    for position, piece in enumerate(row):
        if piece < 5:
            open_word = False
        elif piece >= WORDS and open_word:
            words[-1].append(position)
        else:
            words.append([position])
            open_word = True
    return words


def test_whole_words_only_and_within_the_budget(pieces: Pieces) -> None:
    for length in [8, 32, 128, 512]:
        ids = rows(200, length)
        inputs, positions, targets = mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(1))
        for row, shown, where, wanted in zip(ids.tolist(), inputs.tolist(), positions.tolist(), targets.tolist()):
            words = words_of(row)
            real = sum(map(len, words))
            chosen = {p for p, t in zip(where, wanted) if t != IGNORE}
            assert all(set(word) <= chosen or not set(word) & chosen for word in words)
            assert chosen <= {p for word in words for p in word}, "never a special token, never padding"
            assert len(chosen) == sum(t != IGNORE for t in wanted), "no position twice"
            assert len(chosen) <= max(1, 0.15 * real + 0.501)
            longest = max((len(word) for word in words), default=0)
            assert len(chosen) >= 0.15 * real - 0.501 - longest, "only one word can be left out for want of room"
            assert all(row[p] == t for p, t in zip(where, wanted) if t != IGNORE)
            assert [x for p, x in enumerate(shown) if p not in chosen] == [
                x for p, x in enumerate(row) if p not in chosen
            ]


def test_shapes_depend_on_the_batch_shape_alone(pieces: Pieces) -> None:
    for n, length, slots in [(7, 128, 19), (3, 512, 77), (5, 32, 5), (2, 6, 1)]:
        for seed in range(3):
            inputs, positions, targets = mask_whole_words(rows(n, length, seed), pieces)
            assert inputs.shape == (n, length)
            assert positions.shape == targets.shape == (n, slots)
            assert inputs.dtype == torch.int64


def test_near_fifteen_per_cent_in_the_published_proportions(pieces: Pieces) -> None:
    ids = rows(4000, padded=False)
    inputs, positions, targets = mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(2))
    chosen = targets != IGNORE
    assert 0.138 < chosen.sum() / (ids >= 5).sum() <= 0.151
    shown, truth = inputs.gather(1, positions)[chosen], targets[chosen]
    n = len(truth)  # about 70,000: four standard errors are below 0.006
    assert abs((shown == MASK).float().mean() - 0.8) < 0.007
    kept = 0.1 + 0.1 / (VOCABULARY - 5)  # a random piece can be the one that was there
    assert abs((shown == truth).float().mean() - kept) < 0.006
    other = shown[(shown != MASK) & (shown != truth)]
    assert other.min() == 5 and other.max() == VOCABULARY - 1
    assert abs(len(other) / n - (0.2 - kept)) < 0.006


@pytest.mark.parametrize("share", [0.15, 0.3])
def test_of_words_of_one_piece_exactly_the_share_is_hidden_rounded(pieces: Pieces, share: float) -> None:
    for count in range(1, 41):
        ids = torch.full((1, 42), PAD)
        ids[0, : count + 2] = torch.tensor([CLS, *range(5, 5 + count), SEP])
        _, _, targets = mask_whole_words(ids, pieces, share, torch.Generator().manual_seed(count))
        assert (targets != IGNORE).sum() == max(1, round(share * count)), count


def test_every_word_has_its_turn(pieces: Pieces) -> None:
    ids = rows(1, 64, padded=False).expand(4000, -1)
    _, positions, targets = mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(3))
    counts = torch.zeros(64).scatter_add_(0, positions.flatten(), (targets != IGNORE).flatten().float())
    single = [word[0] for word in words_of(ids[0].tolist()) if len(word) == 1]
    share = counts[single] / 4000
    assert share.min() > 0.11 and share.max() < 0.19


def test_the_generator_decides(pieces: Pieces) -> None:
    ids = rows(20)
    draws = [mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(s)) for s in (4, 4, 5)]
    assert all(torch.equal(a, b) for a, b in zip(draws[0], draws[1]))
    assert not torch.equal(draws[0][0], draws[2][0])
    torch.manual_seed(0)
    after = torch.rand(1)
    torch.manual_seed(0)
    mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(4))
    assert torch.equal(after, torch.rand(1)), "the global generator is not used"


def test_rows_without_a_word_are_left_alone(pieces: Pieces) -> None:
    ids = torch.tensor([[CLS, SEP, PAD, PAD, PAD, PAD, PAD, PAD], [CLS, 7, SEP, PAD, PAD, PAD, PAD, PAD]])
    inputs, _, targets = mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(0))
    assert torch.equal(inputs[0], ids[0])
    assert (targets[0] == IGNORE).all()
    assert targets[1].tolist() == [7], "a row with one word has it masked"


@pytest.mark.parametrize("row", [[10, 11], [10, 11, SEP, PAD], [CLS, WORDS, 11, SEP]])
def test_the_first_two_words_of_a_row_are_drawn_apart(pieces: Pieces, row: list[int]) -> None:
    """Without [CLS], or with a window that begins within a word: of two pieces one is hidden, now this, now that."""
    ids = torch.tensor([row] * 40)
    _, positions, targets = mask_whole_words(ids, pieces, share=0.5, generator=torch.Generator().manual_seed(0))
    chosen = targets != IGNORE
    assert (chosen.sum(1) == 1).all() and len(positions[chosen].unique()) == 2


def test_a_row_may_begin_within_a_word(pieces: Pieces) -> None:
    ids = torch.tensor([[WORDS, *range(10, 30)]] * 40)
    _, positions, targets = mask_whole_words(ids, pieces, generator=torch.Generator().manual_seed(0))
    counts = (targets != IGNORE).sum(1)
    assert counts.min() >= 2 and counts.max() == 3 and (positions[targets != IGNORE] == 0).any()


def test_tables_of_a_vocabulary() -> None:
    class Tokenizer:
        all_special_ids = (0, 1, 2, 3, 4)
        mask_token_id = 4

        def __len__(self) -> int:
            return 8

        def convert_ids_to_tokens(self, ids) -> list[str]:
            return [["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "sing", "##ing", "#"][i] for i in ids]

    pieces = Pieces.of(Tokenizer())
    assert pieces.continues.tolist() == [False] * 6 + [True, False]
    assert pieces.special.tolist() == [True] * 5 + [False] * 3
    assert (pieces.mask_id, pieces.first_word_id) == (4, 5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_cross_entropy_is_pytorchs(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    logits, targets = 5 * torch.randn(40, VOCABULARY), torch.randint(VOCABULARY, (40,))
    targets[::3] = IGNORE
    mine, theirs = (logits.to(dtype).requires_grad_() for _ in range(2))
    ours = masked_cross_entropy(mine, targets)
    other = F.cross_entropy(theirs if dtype == torch.float64 else theirs.float(), targets)
    (2 * ours).backward()
    (2 * other).backward()
    close = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 1e-2}[dtype]
    torch.testing.assert_close(ours, other, rtol=min(close, 1e-6), atol=0)
    torch.testing.assert_close(mine.grad, theirs.grad, rtol=close, atol=close / 100)


def test_cross_entropy_of_one_is_its_own() -> None:
    logits = torch.tensor([[0.0, math.log(3)], [5.0, 1.0]])
    assert masked_cross_entropy(logits, torch.tensor([0, IGNORE])).item() == pytest.approx(math.log(4))


def test_cross_entropy_of_nothing_is_zero_with_a_gradient() -> None:
    logits = torch.randn(4, VOCABULARY, requires_grad=True)
    loss = masked_cross_entropy(logits, torch.full((4,), IGNORE))
    loss.backward()
    assert loss == 0
    assert torch.equal(logits.grad, torch.zeros(4, VOCABULARY))
