"""The exercises of lesson 12, speed and scale; the answers to its functions stand in answers12.py."""

from __future__ import annotations

from kit.course.exercises import answers12 as answers
from kit.course.exercises.exercise import Exercise, Mistake

PADDED = Exercise(
    name="padded-share",
    lesson="12",
    title="How much of a batch is padding?",
    difficulty=1,
    minutes=4,
    prompt="Write `padded_share(lengths)`: `lengths` [rows] are the tokens of the sentences of a batch, a tensor of "
    "whole numbers. The batch is padded to its longest sentence. Which share of its places is [PAD]?",
    stub="def padded_share(lengths):\n    ...",
    hints=(
        "How many places has a table with so many rows, as wide as the longest?",
        "`len(lengths) * lengths.max()` places, `lengths.sum()` of them with a token.",
    ),
    solution=answers.padded_share,
    cases=answers.lengths_cases,
    remember="Padding is the difference between the longest sentence and the mean one, and it is multiplied like the "
    "rest.",
    mistakes=(
        Mistake(answers.share_that_is_real, "That is the share of real tokens: padding is what remains to 1."),
        Mistake(
            answers.padding_per_real_token,
            "You divided by the real tokens: the share asked for is of all places, padded ones included.",
        ),
        Mistake(answers.padding_counted, "You counted the places: divide by all places of the batch."),
        Mistake(
            answers.share_against_the_limit,
            "You padded to 128, the most a sentence may have: a batch is padded to its own longest sentence.",
        ),
        Mistake(
            answers.rows_that_are_padded,
            "You counted rows that have padding: one missing token and twenty are not the same cost.",
        ),
    ),
)

FLOPS = Exercise(
    name="flops-of-a-step",
    lesson="12",
    title="What a step multiplies",
    difficulty=2,
    minutes=6,
    prompt="Write `flops_of_a_step(layers, hidden, tokens, sentences)`: the FLOP (additions and multiplications, each "
    "counted) that an encoder needs to train on `sentences` sentences of `tokens` tokens each, in its "
    "matrices of weights. A layer has $12h^2$ weights; leave attention, embeddings and the rest out.",
    stub="def flops_of_a_step(layers, hidden, tokens, sentences):\n    ...",
    hints=(
        "One token meets every weight once: a multiplication and an addition.",
        "Forward that is 2 · 12 h² a layer and token. The way back needs two products where the way there had one: "
        "the gradient of the input, and that of the weights.",
        "Three times the forward pass: 72 h² a layer and token.",
    ),
    solution=answers.flops_of_a_step,
    cases=answers.flops_cases,
    because="2 for multiply and add, 3 for forward and twice as much back: six FLOP a weight and token.",
    remember="Training costs six FLOP a weight and token.",
    mistakes=(
        Mistake(
            answers.flops_of_the_forward_pass, "That is the forward pass alone: the way back costs twice as much again."
        ),
        Mistake(
            answers.flops_without_additions, "You counted multiplications: every one of them comes with an addition."
        ),
        Mistake(
            answers.flops_with_a_cheap_way_back,
            "You took the way back to cost as much as the way there: it has two products for each one forward.",
        ),
        Mistake(answers.flops_of_a_token, "That is for one token of each sentence: multiply by `tokens`."),
        Mistake(answers.flops_of_a_sentence, "That is one sentence: a step has `sentences` of them."),
    ),
)

GATHER = Exercise(
    name="gradient-of-a-gather",
    lesson="12",
    title="Whose gradient is it?",
    difficulty=3,
    minutes=8,
    prompt="Each of G ranks encodes B rows, receives the rows of all the others, and computes a loss of its own. The "
    "loss of the whole batch is the **sum** of the ranks' losses. `gradients` [G, G·B, dim]: `gradients[r]` is "
    "the gradient of rank r's loss with respect to all gathered rows, rank 0's rows first. Write "
    "`gradient_of_a_gather(gradients, rank)`: the gradient of the whole loss with respect to the rows that "
    "`rank` encoded, [B, dim].",
    stub="def gradient_of_a_gather(gradients, rank):\n    ...",
    hints=(
        "In how many of the G losses does a row of this rank stand?",
        "In all of them, once as the rank's own, elsewhere as a negative. Derivatives of a sum add up.",
        "Sum over the first axis; then the B rows that begin at rank · B.",
    ),
    solution=answers.gradient_of_a_gather,
    cases=answers.gather_cases,
    because="The backward pass of a gather is a sum over ranks followed by handing each its own part: a "
    "reduce-scatter. Leave it out and a row is never pushed as the negative of another rank's anchors.",
    remember="A gather forward is a reduce-scatter on the way back.",
    mistakes=(
        Mistake(
            answers.gradient_of_ones_own_loss,
            "You took the rank's own loss alone: its rows are negatives in the other ranks' losses, too. This is "
            "what a gather without a gradient computes.",
        ),
        Mistake(answers.gradient_averaged, "The whole loss is the sum of the ranks' losses here: no mean."),
        Mistake(answers.gradient_of_all_rows, "Those are the gradients of all rows: keep those this rank encoded."),
        Mistake(answers.gradient_of_the_others, "You left the rank's own loss out: it counts as well."),
        Mistake(
            answers.gradient_of_ones_whole_loss,
            "That is one loss and everybody's rows: it should be everybody's losses and this rank's rows.",
        ),
    ),
)

RING = Exercise(
    name="ring-bytes",
    lesson="12",
    title="Once round the ring, twice",
    difficulty=2,
    minutes=6,
    prompt="Write `ring_bytes(gpus, weights)`: how many bytes *each* GPU sends until all of them have the sum of their "
    "float32 gradients, [weights] numbers each. The ring cuts a gradient into `gpus` equal parts. In a round "
    "every GPU sends one part to its neighbour. `gpus` − 1 rounds add the parts up; as many again hand the "
    "finished parts round.",
    stub="def ring_bytes(gpus, weights):\n    ...",
    hints=(
        "How many numbers has one part, and how many rounds are there in all?",
        "A part has weights / gpus numbers of 4 bytes, and there are 2 · (gpus − 1) rounds.",
    ),
    solution=answers.ring_bytes,
    cases=answers.ring_cases,
    because="With ever more GPUs this nears 2 · 4 · weights and stays there: that is what the ring is for.",
    remember="The ring's bytes hardly depend on the number of GPUs; those of a gather grow with it.",
    mistakes=(
        Mistake(
            answers.bytes_of_sending_everything,
            "That is sending the whole gradient to everybody: the ring sends one part at a time, and only to its "
            "neighbour.",
        ),
        Mistake(answers.ring_in_numbers, "You counted numbers: a float32 has four bytes."),
        Mistake(
            answers.ring_once_round,
            "After `gpus` − 1 rounds each GPU has one finished part: as many rounds again hand them to all.",
        ),
        Mistake(answers.ring_of_whole_gradients, "A round sends one part, weights / gpus numbers, not all of them."),
        Mistake(
            answers.ring_with_a_step_too_many,
            "That is `gpus` rounds each way: a part is complete after `gpus` − 1, its own GPU began with it.",
        ),
    ),
)

EXPONENT = Exercise(
    name="growth-exponent",
    lesson="12",
    title="How does it grow?",
    difficulty=2,
    minutes=6,
    prompt="A cost that grows like size to the power p is a straight line where both axes are logarithmic, and p is "
    "its slope. Write `growth_exponent(sizes, seconds)`: for two tensors [n] the slope of the line that fits "
    "the logarithms best (least squares).",
    stub="def growth_exponent(sizes, seconds):\n    ...",
    hints=(
        "x = `sizes.log()`, y = `seconds.log()`; take their means off.",
        "The slope is the sum of x · y divided by the sum of x · x, both without their means.",
    ),
    solution=answers.growth_exponent,
    cases=answers.growth_cases,
    remember="1 is linear, 2 is quadratic; and a few noisy points do not tell 1.0 from 1.1.",
    mistakes=(
        Mistake(
            answers.slope_without_logarithms,
            "You fitted the seconds themselves: that is seconds a row, not an exponent. Take logarithms of both.",
        ),
        Mistake(
            answers.slope_with_one_logarithm,
            "Only the seconds became logarithms: that fits an exponential. Take those of the sizes too.",
        ),
        Mistake(answers.slope_the_other_way_round, "You fitted the sizes by the seconds: exchange the two."),
        Mistake(
            answers.slope_of_the_ends, "You joined the first point with the last: the others should count as well."
        ),
        Mistake(
            answers.slope_through_the_origin,
            "Your line goes through the origin: take the means of both logarithms off first.",
        ),
    ),
)

GROWS = Exercise(
    name="what-a-batch-makes-dearer",
    lesson="12",
    title="What does a larger batch make dearer?",
    difficulty=2,
    minutes=3,
    prompt="64 GPUs, each computes its block of the matrix. You double the pairs of each GPU. Of which part does the "
    "time **per pair** double?\n\n"
    "- **a** the encoder\n"
    "- **b** the similarity matrix\n"
    "- **c** the all-gather\n"
    "- **d** the all-reduce of the gradients",
    stub='made_dearer = ...  # "a", "b", "c" or "d"',
    hints=(
        "Ask of each part: how much of it belongs to one pair, and does that depend on how many pairs there are?",
        "A pair is encoded once. Its vectors are sent to the same 63 others. With how many candidates is it compared?",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="A pair is compared with all candidates, and there are twice as many. It is encoded once and its vectors "
    "go to 63 GPUs, as before; the gradients of the weights are summed once a step, and a step now has twice "
    "the pairs: half as much for each.",
    remember="Per pair: encoder and gather stay, reduce and update shrink, the matrix grows.",
    mistakes=(
        Mistake("a", "A pair goes through the encoder once, whatever else is in the batch."),
        Mistake("c", "The vectors of a pair go to 63 others, as before: that depends on the GPUs, not on the batch."),
        Mistake("d", "The gradients have as many bytes as weights, once a step: more pairs a step make it cheaper."),
    ),
)

EXERCISES = (PADDED, GATHER, FLOPS, RING, EXPONENT, GROWS)
