"""Lesson 09, training: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import math

import torch

from kit.course.exercises import broken_runs
from kit.course.exercises.drawn_inputs import uniform
from kit.course.exercises.exercise import Exercise, Mistake, variation


def number_of_steps(pairs, batch_size, epochs):
    """Whole batches and a smaller last one, in every epoch anew."""
    return epochs * math.ceil(pairs / batch_size)


def steps_cases():
    """Also a last batch of one pair, one that is full, and fewer pairs than a batch."""
    return [
        (100, 64, 3),
        (128, 64, 2),
        (549_367, 64, 1),
        (7, 16, 5),
        (1000, 32, 4),
        (65, 64, 2),
        (1, 1, 1),
        (64, 64, 1),
    ]


STEPS = Exercise(
    name="number-of-steps",
    lesson="09",
    title="How many steps?",
    difficulty=1,
    minutes=4,
    prompt="Write `number_of_steps(pairs, batch_size, epochs)`: how many steps a training takes that goes through "
    "`pairs` pairs `epochs` times (a whole number). The pairs left over at the end of an epoch are a smaller batch of "
    "their own.",
    stub="import math\n\ndef number_of_steps(pairs, batch_size, epochs):\n    ...",
    hints=(
        "First one epoch: 100 pairs in batches of 64 are one full batch and one of 36.",
        "`math.ceil(pairs / batch_size)` rounds up; every epoch begins anew.",
    ),
    solution=number_of_steps,
    cases=steps_cases,
    remember="Steps = epochs × batches, and the last batch of an epoch counts. Most costs are proportional to it.",
    mistakes=(
        Mistake(
            lambda pairs, batch_size, epochs: epochs * (pairs // batch_size + 1),
            "Rounding down and adding 1 makes one batch too many where the pairs fill the last one: round up instead.",
        ),
        Mistake(
            lambda pairs, batch_size, epochs: epochs * (pairs // batch_size),
            "You dropped the smaller last batch of each epoch: it is a step as well, so round up.",
        ),
        Mistake(
            variation(number_of_steps, "epochs * ", ""),
            "That is one epoch: the run goes through the pairs `epochs` times.",
        ),
        Mistake(
            lambda pairs, batch_size, epochs: math.ceil(epochs * pairs / batch_size),
            "You let a batch reach into the next epoch: each epoch ends with a smaller batch of its own, so "
            "round up first and then multiply.",
        ),
        Mistake(
            lambda pairs, batch_size, epochs: epochs * pairs / batch_size,
            "There are no fractions of a step: round the batches of an epoch up.",
        ),
    ),
)


def rate_of_a_step(step, steps, warmup_steps, lr):
    """Up to lr over the warm-up, then down towards 0 over what is left."""
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * (steps - step) / (steps - warmup_steps)


def rate_cases():
    """The first and the last step, those on both sides of the top; a warm-up of one step, and none."""
    steps = [(step, 100, 10, 0.5) for step in (4, 0, 9, 10, 55, 99)]
    return [*steps, (3, 8597, 859, 1.0), (5000, 8597, 859, 1e-3), (0, 20, 1, 0.2), (0, 20, 0, 0.2), (7, 20, 0, 0.2)]


RATE = Exercise(
    name="rate-of-a-step",
    lesson="09",
    title="The learning rate of a step",
    difficulty=2,
    minutes=7,
    prompt="Write `rate_of_a_step(step, steps, warmup_steps, lr)`: the learning rate of step number `step` (from 0) "
    "of a run of `steps`. It rises in equal steps over the first `warmup_steps`, the last of which (number "
    "`warmup_steps` − 1) has the full `lr`. The next step, number `warmup_steps`, still has the full `lr`; from there "
    "it falls in a straight line that would reach 0 at step number `steps`. `warmup_steps` may be 0.",
    stub="def rate_of_a_step(step, steps, warmup_steps, lr):\n    ...",
    hints=(
        "Two cases, `step < warmup_steps` or not. With ten steps of warm-up, which share has step number 0, and "
        "which has number 9?",
        "Rising: (step + 1) / warmup_steps. Falling: of the steps after the warm-up, which share is still to come?",
        "Falling: (steps − step) / (steps − warmup_steps). Both times `lr`.",
    ),
    solution=rate_of_a_step,
    cases=rate_cases,
    tolerance=1e-8,
    remember="A small rate while AdamW's averages are still guesses, the full rate at the top, then ever less.",
    mistakes=(
        Mistake(
            variation(rate_of_a_step, "(step + 1)", "step"),
            "Your first step has the rate 0 and learns nothing: steps count from 0, so take (step + 1).",
        ),
        Mistake(
            variation(rate_of_a_step, "(steps - step)", "(steps - 1 - step)"),
            "Yours is one step ahead after the warm-up, and 0 at the last step, which then learns nothing: it would be "
            "0 at step number `steps`.",
        ),
        Mistake(
            variation(
                rate_of_a_step,
                "(steps - step) / (steps - warmup_steps)",
                "(steps - 1 - step) / (steps - 1 - warmup_steps)",
            ),
            "Your rate reaches 0 at the last step, which learns nothing then: it would be 0 at step number `steps`.",
        ),
        Mistake(
            variation(rate_of_a_step, "(steps - warmup_steps)", "(steps - warmup_steps + 1)"),
            "Your fall begins one step early, at the end of the warm-up: step number `warmup_steps` still has the full "
            "`lr`.",
        ),
        Mistake(
            lambda step, steps, warmup_steps, lr: lr * min(1.0, (step + 1) / max(warmup_steps, 1)),
            "Your rate stays at its top: that is the schedule 'constant' (what Liao's released code does); here "
            "it falls after the warm-up.",
        ),
        Mistake(
            variation(rate_of_a_step, "(steps - warmup_steps)", "steps"),
            "Your rate jumps down when the warm-up ends: count the fall from there, over steps − warmup_steps.",
        ),
        Mistake(
            lambda step, steps, warmup_steps, lr: rate_of_a_step(step, steps, warmup_steps, 1.0),
            "That is the factor: multiply it by `lr`.",
        ),
    ),
)


def matrix_mib(anchors, candidates):
    """float32: four bytes a similarity; a MiB has 2²⁰ bytes."""
    return anchors * candidates * 4 / 2**20


def matrix_cases():
    """Also of one anchor, and of one candidate."""
    return [(512, 1024), (64, 64), (1, 300), (256, 2560), (100, 1)]


MATRIX = Exercise(
    name="matrix-memory",
    lesson="09",
    title="What does the matrix of similarities need?",
    difficulty=1,
    minutes=4,
    prompt="Write `matrix_mib(anchors, candidates)`: the memory in MiB (2²⁰ bytes) of the matrix of similarities of "
    "`anchors` anchors with `candidates` candidates, in float32.",
    stub="def matrix_mib(anchors, candidates):\n    ...",
    hints=(
        "How many numbers are in the matrix, and how many bytes does a number of 32 bits take?",
        "anchors × candidates × 4 bytes; divide by `2**20`.",
    ),
    solution=matrix_mib,
    cases=matrix_cases,
    because="512 anchors with 1,024 candidates are 2 MiB. What fills the memory is what the encoder keeps of every "
    "token and layer for the way back, and that grows with the rows of a batch.",
    remember="At batch 512 the matrix takes 2 MiB, little beside the activations, for which chunks are made; but it "
    "grows with the square of the batch.",
    mistakes=(
        Mistake(variation(matrix_mib, " * 4", ""), "You counted numbers: a float32 has four bytes."),
        Mistake(
            lambda anchors, candidates: (anchors + candidates) ** 2 * 4 / 2**20,
            "You took every row with every row: anchors alone stand in the rows, candidates alone in the columns.",
        ),
        Mistake(variation(matrix_mib, "* 4", "* 8"), "Eight bytes are float64: float32 has four."),
        Mistake(variation(matrix_mib, "2**20", "1e6"), "Those are megabytes, of 10⁶ bytes: a MiB has 2²⁰."),
        Mistake(variation(matrix_mib, " / 2**20", ""), "Those are bytes: a MiB has 2²⁰ of them, so divide by that."),
        Mistake(variation(matrix_mib, "* 4", "* 32"), "You counted bits: a byte has eight of them."),
        Mistake(
            lambda anchors, candidates: (anchors + candidates) * 128 * 4 / 2**20,
            "Those are the vectors, rows times their length: the matrix has one number for each pair.",
        ),
    ),
)


def seconds_of_a_run(times, steps):
    """The first two are slow; the others stand for all."""
    return float(times[2:].mean() * steps)


def seconds_cases():
    """Drawn; the three timed steps that are the least; all alike; a run of one step; first steps that are not the
    slowest."""
    cases = []
    for seed, (count, steps) in enumerate(((5, 100), (12, 40), (3, 8597), (6, 1))):
        times = 0.1 + 0.05 * uniform(9 + seed, count)
        times[:2] *= 6  # cold caches, memory not yet asked for
        cases.append((times, steps))
    late = torch.tensor([0.2, 0.1, 0.9, 0.1, 0.3, 0.2], dtype=torch.float64)
    return [*cases, (torch.full((4,), 0.25).double(), 10), (late, 50)]


SECONDS = Exercise(
    name="seconds-of-a-run",
    lesson="09",
    title="From a few steps to all",
    difficulty=2,
    minutes=5,
    prompt="You timed the first steps as a trial: `times` is a tensor [n] of seconds, n ≥ 3. The first two may be "
    "slow (caches are cold, memory is requested for the first time) and say nothing about the rest. The run comes "
    "after the trial, in the same process, so that none of its own steps is slow for that reason. Write "
    "`seconds_of_a_run(times, steps)`: an estimate of the seconds that a run of `steps` steps takes, from the mean of "
    "the other steps.",
    stub="def seconds_of_a_run(times, steps):\n    ...",
    hints=(
        "Which of the timed steps are like those of the run?",
        "Leave the first two out, and let the mean of the others stand for all steps.",
        "`times[2:].mean() * steps`.",
    ),
    solution=seconds_of_a_run,
    cases=seconds_cases,
    because="The trial's own steps are thrown away and done again, so it is `steps`, not `steps` less the timed ones.",
    remember="Leave the slow first steps out, take the mean, multiply by all steps; and call it an estimate.",
    mistakes=(
        Mistake(
            variation(seconds_of_a_run, "times[2:].mean()", "times[2:].sum() / len(times)"),
            "You left the first two out of the sum and counted them all the same: divide by n − 2.",
        ),
        Mistake(
            lambda times, steps: float(times[0] + times[1] + times[2:].mean() * (steps - 2)),
            "You let the run begin with two slow steps: it begins when everything is warm.",
        ),
        Mistake(
            lambda times, steps: float(times[3:].sum() / max(len(times) - 3, 1) * steps),
            "You left out three: `[3:]` begins with the fourth, `[2:]` with the third.",
            also=(variation(seconds_of_a_run, "[2:]", "[3:]"),),
        ),
        Mistake(
            variation(seconds_of_a_run, "[2:]", "[1:]"),
            "You left out the first only: the second may be slow as well, so begin with the third, `[2:]`.",
        ),
        Mistake(variation(seconds_of_a_run, "[2:]", ""), "The slow first two are in your mean: leave them out."),
        Mistake(
            lambda times, steps: float(times[2:].median() * steps),
            "You took the median step: a run is as long as the sum of its steps, so the few long ones count in full. "
            "Take the mean.",
        ),
        Mistake(
            lambda times, steps: float(times.min() * steps),
            "You took the fastest step: batches of long sentences take longer, and the run has those too. Take "
            "the mean.",
        ),
        Mistake(
            lambda times, steps: float(times[2:].mean() * (steps - len(times))),
            "You took the timed steps off: they were a trial on a copy, and the run does all of its own.",
            also=(lambda times, steps: float(times[2:].mean() * (steps - len(times) + 2)),),
        ),
        Mistake(
            variation(seconds_of_a_run, " * steps", ""),
            "That is the mean of one step: a run of `steps` steps takes so many times as long.",
        ),
        Mistake(
            variation(seconds_of_a_run, "* steps", "* (steps - 2)"),
            "You took the two slow steps off the run as well: they were steps of the trial, and the run does all "
            "`steps` of its own.",
        ),
        Mistake(
            lambda times, steps: float(times[-1] * steps),
            "One step is one batch, perhaps a short one: take the mean of several.",
        ),
    ),
)


LOST = Exercise(
    name="lost-steps",
    lesson="09",
    title="The power fails",
    difficulty=1,
    minutes=2,
    prompt="A run writes a checkpoint every 50 steps. Step 137 is finished, and the power fails during step 138. "
    "The run is started again. How many steps that had been finished are done a second time?",
    stub="steps_done_twice = ...",
    hints=("After which step was the newest whole checkpoint written?", "At 100. Which finished steps came after it?"),
    solution=37,
    because="The newest checkpoint is that of step 100. Steps 101 to 137 were finished and are lost; step 138 was not.",
    remember="Bit for bit means that the same steps follow, not that none is done twice.",
    mistakes=(
        Mistake(0, "Bit for bit says that the same losses come again; the work since the last checkpoint is lost."),
        Mistake(38, "Step 138 was not finished: 101 to 137 are."),
        Mistake(137, "It does not begin anew: the checkpoint of step 100 is on the disk."),
        Mistake(13, "That is how many were still to come before the next checkpoint, at 150."),
    ),
)


CHECKPOINT = Exercise(
    name="checkpoint-contents",
    lesson="09",
    title="What must be in it?",
    difficulty=2,
    minutes=3,
    prompt="A run uses AdamW, dropout 0.1 and a learning rate that falls with the step. What must a checkpoint hold "
    "so that the run goes on bit for bit? (Batches are a function of seed and step.)\n\n- **a** the weights of the "
    "encoder\n- **b** all trained weights, and the step\n- **c** all trained weights, the step, AdamW's averages, and "
    "the losses and scores of the run so far\n"
    "- **d** all trained weights, the step, AdamW's averages, and the state of the random generator",
    stub='a_checkpoint_holds = ...  # "a", "b", "c" or "d"',
    hints=(
        "Go through one step: what does it read that is not in the recipe?",
        "AdamW divides by averages of earlier gradients. And which neurons does dropout drop at the next step?",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="The update reads the averages, the rate reads the step, and dropout draws from the generator. Leave one "
    "out and the run still goes on, and looks fine: only the losses differ from those of a run that was not "
    "interrupted.",
    remember="Everything that a step reads and that is not in the recipe.",
    mistakes=(
        Mistake("a", "The head that is trained beside the encoder would begin anew, and so would the optimizer."),
        Mistake("b", "AdamW's averages would begin at zero: the first updates after the resume would differ."),
        Mistake(
            "c",
            "The curves would be whole, but dropout would drop other neurons than in the run that was not interrupted.",
        ),
    ),
)


FLAT = Exercise(
    name="flat-curve",
    lesson="09",
    title="Read a curve",
    difficulty=2,
    minutes=3,
    prompt="SBERT's classifier is trained on three labels. The cross-entropy falls from 1.10 to 1.05 during the "
    "warm-up; when the rate is near its top it jumps to 2.4, comes back to 1.10, and stays there to the end. STS-B "
    "validation is lower than untrained. What is the matter?\n\n- **a** The run is too short: 1.10 would fall with "
    "more epochs.\n- **b** The learning rate is too large.\n- **c** The data has no signal: the labels were "
    "shuffled.\n- **d** Nothing: a cross-entropy of 1.10 is a good value.",
    stub='the_matter = ...  # "a", "b", "c" or "d"',
    hints=(
        "What does it cost to give each of three labels a third?",
        "log 3 is 1.0986. It had begun to learn, and lost it: when?",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="It learned while the rate was small, so there is a signal; at the top of the rate one step threw it off, "
    "and it fell to what guessing costs, log 3. Untrained vectors were better than what is left.",
    remember="Learns, jumps near the top of the rate, stays at what guessing costs: divide the learning rate by ten.",
    mistakes=(
        Mistake("a", "It had been lower before the jump: it did not stop early, it lost what it had."),
        Mistake(
            "c",
            "With shuffled labels it would never have fallen below log 3 for long; here it learned while the "
            "rate was small.",
        ),
        Mistake("d", "1.10 is log 3: what it costs to give each of three labels a third, whatever the sentence."),
    ),
)


KEEP = Exercise(
    name="run-to-keep",
    lesson="09",
    title="Which run do you keep?",
    difficulty=2,
    minutes=3,
    prompt="Four learning rates, one run each. On STS-B validation the second is best; on the seven STS test tasks, "
    "which somebody has run as well, the third is higher by 0.4. Which run do you keep, and what do you "
    "report?\n\n"
    "- **a** The third, with its test figure: it is the better one.\n"
    "- **b** The second, with its test figure.\n"
    "- **c** The third, with its validation figure.\n"
    "- **d** The mean of both test figures.",
    stub='keep_and_report = ...  # "a", "b", "c" or "d"',
    hints=(
        "What is a test set for, once it has helped to choose?",
        "The largest of four noisy numbers is too large on average.",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="Chosen on validation, the test figure of the second is the more honest one (wholly so, if no validation "
    "pair were also a test pair). Chosen on the test, the figure of the third is the largest of four noisy ones, too "
    "high on average; and one run each does not say whether 0.4 is more than seeds alone make.",
    remember="Choose on validation, report on test, and look at the test once.",
    mistakes=(
        Mistake(
            "a",
            "You chose on the test set: its figure is then the largest of four noisy ones, and too high on average; "
            "the more runs there are to choose from, the more.",
        ),
        Mistake("c", "You still chose by the test, and report what was not used to choose: the choice is the problem."),
        Mistake("d", "One run is shipped, so one run is reported: the one that validation chose."),
    ),
)


EQUAL_NETWORKS = Exercise(
    name="equal-networks",
    lesson="09",
    title="The mean of two equals",
    difficulty=2,
    minutes=4,
    prompt="A network of two units: y = v₁·relu(w₁·x) + v₂·relu(w₂·x), where relu(a) is a for a > 0 and 0 otherwise. "
    "One training ended at w = (1, −1), v = (1, −1); another at w = (−1, 1), v = (−1, 1): the same two units, in the "
    "other order. At x = 3 both give y = 3. What does the network whose four weights are the means of theirs give at "
    "x = 3?",
    stub="y_of_the_mean = ...",
    hints=(
        "Take the mean of each weight first: w₁ of the one and w₁ of the other, and so on.",
        "w₁: the mean of 1 and −1. The other three go the same way.",
    ),
    solution=0,
    because="All four means are 0, and so is y, for every x. The two networks compute the same, but unit 1 of the one "
    "does what unit 2 of the other does: the mean adds up what does not belong together.",
    remember="Weights may be averaged where a unit does the same work in both networks. Equal answers are not enough.",
    mistakes=(
        Mistake(3, "That is the mean of their answers. Take the mean of each weight, and compute y from these."),
        Mistake(1.5, "Not half of an answer: take the mean of w₁, w₂, v₁ and v₂, and compute y from these four."),
        Mistake(6, "That is the sum of their answers. Take the mean of each weight, and compute y from these."),
        Mistake(-3, "That is the answer at x = −3. Take the mean of each weight first: what is the mean of 1 and −1?"),
    ),
)


EXERCISES = (STEPS, SECONDS, RATE, LOST, CHECKPOINT, MATRIX, *broken_runs.EXERCISES, FLAT, KEEP, EQUAL_NETWORKS)
