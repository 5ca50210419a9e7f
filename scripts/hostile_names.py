"""Public functions that the tables of hostile calls do not try, each with its reason."""

NOTHING = "takes nothing"
PART = "a part of a loss or an evaluation, which a lesson shows; whoever calls the whole is told what is wrong"
FUNCTIONS = {
    **dict.fromkeys(("bundled_models", "hub_problem", "mirror_root", "offline"), NOTHING),
    **dict.fromkeys(("check_columns", "check_priors", "find_model", "pad", "pair_features", "pool"), PART),
    **dict.fromkeys(
        ("binary_scores", "classify_pairs", "mean_or_none", "p_value", "subset_mean", "subset_wmean"), PART
    ),
    "contrastive_softmax": PART,
    **dict.fromkeys(("frequency_correlation", "mean_log_frequency", "word_counts"), "counts words of the kit's corpus"),
    **dict.fromkeys(("article", "synonyms"), "asked for a word of a sentence, by the made-up world and augmentation"),
    "check": "an answer may be anything: tests/course tries the wrong ones",
    "progress": "an unknown lesson has no exercises, and the table says so",
    "finding": "a cell of a lesson says what was found; no reader calls it",
    "evaluate_transfer": "minutes where tasks are left out; its tests try wrong tasks, encoders and caches",
}
PACKAGES = {
    "kit.boards": "a board is made of what the tables' functions give; its own tests hold its settings",
    "kit.figures": "a figure is drawn of what the tables' functions give; its own tests hold its text",
    "kit.world": "scenes come from a seed: nothing of a reader's goes in",
}
