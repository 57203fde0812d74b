"""Exercises of notebook 12: the two tasks of pre-training."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, call, number, told_apart

Sentence = str

# ---- 12.1


def apply_fates(
    input_ids: Tensor, chosen: Tensor, fate: Tensor, random_ids: Tensor, mask_id: int
) -> tuple[Tensor, Tensor]:
    corrupted = input_ids.clone()
    corrupted[chosen & (fate < 0.8)] = mask_id
    swapped = chosen & (fate >= 0.8) & (fate < 0.9)
    corrupted[swapped] = random_ids[swapped]
    return corrupted, input_ids.masked_fill(~chosen, -100)


def draws(input_ids: list, chosen: list, fate: list, random_ids: list, mask_id: int = 4) -> tuple[Any, ...]:
    picked = torch.tensor([chosen], dtype=torch.bool)
    fates = torch.tensor([fate], dtype=torch.float64)
    return torch.tensor([input_ids]), picked, fates, torch.tensor([random_ids]), mask_id


def many_draws(*shape: int) -> tuple[Any, ...]:
    ids, randoms = torch.randint(5, 47, shape), torch.randint(53, 97, shape)
    return ids, torch.rand(shape) < 0.5, torch.rand(shape, dtype=torch.float64), randoms, 4


def place_and_fate(found: Found) -> dict[str, Any]:
    index = found.difference.index
    return {"place": index[1], "fate": number(found.given[2][index])} if index else {}


APPLY_FATES = Exercise(
    "12.1",
    level="warm-up",
    reference=apply_fates,
    gradients=False,
    parts={"corrupted": 0, "labels": 1},
    cases={
        "by_hand": lambda: draws(
            [2, 20, 21, 22, 23, 24, 0, 3],
            [0, 1, 1, 1, 0, 0, 1, 0],
            [0.1, 0.3, 0.85, 0.95, 0.2, 0.85, 0.05, 0.99],
            [50, 51, 52, 53, 54, 55, 56, 57],
        ),
        # both edges, a random token that is the true one, another number for [MASK]
        "edges": lambda: draws([20, 21, 22, 23], [1] * 4, [0.8, 0.9, 0.85, 0.5], [50, 51, 22, 53], 9),
        # close to the edges, and 0; a token that is [MASK] already
        "close": lambda: draws(
            [20, 21, 22, 23, 24, 9],
            [1] * 6,
            [0.0, 0.7996, 0.8004, 0.8996, 0.9004, 0.4],
            [50, 51, 52, 53, 54, 55],
            9,
        ),
        "drawn": lambda: [many_draws(11, 13), many_draws(2, 300)],
    },
    mistakes=changes_of(
        apply_fates,
        {
            "not_only_chosen": {"chosen & ": ""},
            "only_masks": {"[chosen & (fate < 0.8)]": "[chosen]", "random_ids[swapped]": "mask_id"},
            "no_random": {"random_ids[swapped]": "input_ids[swapped]"},
            "never_kept": {" & (fate < 0.9)": ""},
            "kept_masked": {"(fate < 0.8)": "((fate < 0.8) | (fate >= 0.9))"},
            "random_kept_swapped": {"(fate >= 0.8) & (fate < 0.9)": "(fate >= 0.9)"},
            "wrong_side": {
                "(fate < 0.8)": "(fate >= 0.1) & (fate < 0.9)",
                "(fate >= 0.8) & (fate < 0.9)": "(fate < 0.1)",
            },
            "masked_at_edge": {"fate < 0.8": "fate <= 0.8", "fate >= 0.8": "fate > 0.8"},
            "random_at_edge": {"fate < 0.9": "fate <= 0.9"},
            "fixed_mask_id": {"= mask_id": "= 4"},
            "rounded": {"clone()": "clone()\n    fate = fate.round(decimals=2)"},
            "zero_fate_kept": {"(fate < 0.8)": "(fate > 0) & (fate < 0.8)"},
            "corrupted": {"fate < 0.9": "fate < 0.93"},
            "label_corrupted": {"input_ids.masked_fill": "corrupted.masked_fill"},
            "label_everywhere": {".masked_fill(~chosen, -100)": ""},
            "label_only_changed": {"~chosen": "corrupted == input_ids"},
            "label_only_masked": {"~chosen": "corrupted != mask_id"},
            "label_same_random": {"~chosen": "~chosen | (corrupted == input_ids) & (fate < 0.9)"},
            "label_not_of_mask": {"~chosen": "~chosen | (input_ids == mask_id)"},
            "label_zero": {"-100": "0"},
            "label_minus_one": {"-100": "-1"},
            "label_inverted": {"~chosen": "chosen"},
            "labels": {"-100": "-99"},
        },
    ),
    facts={"*": place_and_fate},
    forbids=("course_utils.datasets.pretraining",),
)


# ---- 12.2


def masked_lm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    chosen = labels != -100
    log_probabilities = logits[chosen].log_softmax(dim=-1)  # (M, V)
    of_truth = log_probabilities.gather(1, labels[chosen][:, None])  # (M, 1)
    return -of_truth.sum() / max(1, len(of_truth))


def multiplied(logits, labels):
    """The loss of every place, times 0 where it is not chosen."""
    losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten().clamp(min=0), reduction="none")
    chosen = labels.flatten() != -100
    return (losses * chosen).sum() / chosen.sum().clamp(min=1)


def few_chosen() -> tuple[Tensor, Tensor]:
    labels = torch.full((3, 5), -100)
    labels[0, :3] = torch.tensor([1, 4, 6])
    labels[1, 2], labels[2, 4] = 0, 3
    return 3 * torch.randn(3, 5, 7, dtype=torch.float64), labels


def of_size(*size: int, chosen: float) -> tuple[Tensor, Tensor]:
    labels = torch.randint(size[-1], size[:2])
    labels[torch.rand(size[:2]) > chosen] = -100
    return torch.randn(size, dtype=torch.float64), labels


def reads_ignored(answer: Any) -> dict[str, str] | None:
    """An infinite score where nothing was chosen must not come into the loss."""
    logits, labels = few_chosen()
    logits[0, 4] = torch.inf
    right, yours = masked_lm_loss(logits, labels), call(answer, logits, labels)
    if abs(float(yours) - float(right)) < 1e-6:
        return None
    return dict(zip(("expected", "actual"), told_apart(right, yours.detach())))


def nothing_gradient(answer: Any) -> dict[str, str] | None:
    """A batch without a chosen place is trained on, too: its gradient is 0, not missing."""
    logits = torch.randn(3, 5, 7, requires_grad=True)
    loss = call(answer, logits, torch.full((3, 5), -100))
    given = torch.autograd.grad(loss, logits, allow_unused=True)[0] if loss.requires_grad else None
    return {"actual": "None"} if given is None else None


MASKED_LM_LOSS = Exercise(
    "12.2",
    level="core",
    reference=masked_lm_loss,
    cases={
        "by_hand": few_chosen,
        "nothing_chosen": lambda: (torch.randn(3, 5, 7, dtype=torch.float64), torch.full((3, 5), -100)),
        "overflow": lambda: (
            torch.tensor([[[0.0, 1000.0, 0.0], [0.0, 0.0, 0.0]]], dtype=torch.float64),
            torch.tensor([[0, -100]]),
        ),
        "sizes": lambda: [
            of_size(1, 1, 13, chosen=1.0),
            of_size(2, 11, 13, chosen=0.8),
            of_size(3, 300, 11, chosen=0.3),
        ],
    },
    mistakes=changes_of(
        masked_lm_loss,
        {
            "all_positions": {
                "labels != -100": "labels == labels",
                "labels[chosen]": "labels[chosen].relu()",
            },
            "divided_by_all": {"len(of_truth)": "labels.numel()"},
            "sum_not_mean": {" / max(1, len(of_truth))": ""},
            "mean_of_rows": {
                "return -of_truth.sum() / max(1, len(of_truth))": (
                    "rows = of_truth.split(chosen.sum(1).tolist())\n    return -sum(map(torch.mean, rows)) / len(rows)"
                )
            },
            "drops_token_zero": [
                {"labels != -100": "labels > 0"},
                {"labels != -100": "labels > 0", "len(of_truth)": "int((labels != -100).sum())"},
            ],
            "no_log": {".log_softmax": ".softmax"},
            "sign": {"return -": "return "},
            "softmax_twice": {"logits[chosen]": "logits[chosen].softmax(-1)"},
            "nothing_chosen": {"max(1, len(of_truth))": "len(of_truth)"},
            "overflow": {
                ".log_softmax(dim=-1)": ".exp()",
                "log_probabilities.": (
                    "(log_probabilities / log_probabilities.sum(-1, keepdim=True)).log()."
                ),
            },
            "reads_ignored": multiplied,
            "sizes": {
                "= log_probabilities": "= log_probabilities[:25]",
                "labels[chosen]": "labels[chosen][:25]",
            },
            "nothing_chosen_dtype": {
                "-100\n": "-100\n    if not chosen.any():\n        return torch.tensor(0.0)\n"
            },
            "nothing_chosen_type": {"-100\n": "-100\n    if not chosen.any():\n        return 0.0\n"},
            "nothing_gradient": {
                "-100\n": "-100\n    if not chosen.any():\n        return logits.new_zeros(())\n"
            },
            "gradient": {
                ".log_softmax(dim=-1)": " - logits[chosen].detach().logsumexp(dim=-1, keepdim=True)"
            },
        },
    ),
    facts={"sizes": lambda found: {"chosen": int((found.given[1] != -100).sum())}},
    properties={"reads_ignored": reads_ignored, "nothing_gradient": nothing_gradient},
    forbids=("course_utils.heads",),
)


# ---- 12.3

Pair = tuple[Sentence, Sentence, int]
Draw = Callable[[int], int]


def sentence_pairs(documents: list[list[Sentence]], coins: list[bool], draw: Draw) -> list[Pair]:
    pairs = []
    for own in documents:
        elsewhere = [sentence for other in documents if other is not own for sentence in other]
        for first, following in zip(own, own[1:]):
            if coins[len(pairs)]:
                pairs.append((first, following, 0))
                continue
            wrong = [sentence for sentence in elsewhere if sentence != following]
            pairs.append((first, wrong[draw(len(wrong))], 1))
    return pairs


DOCUMENTS = [
    ["배를 탔다.", "바다가 넓다.", "섬에 닿았다."],
    ["배를 깎았다.", "물이 많다.", "참 달다."],
    ["눈이 온다.", "바다가 넓다."],
    ["혼자 있는 문장."],
]
TWICE = [*DOCUMENTS, ["바다가 넓다."] * 2]  # the true next sentence stands twice in a row elsewhere
COPIED = [*DOCUMENTS, list(DOCUMENTS[1])]  # a document that reads like another one
ALIKE = [[f"{name} 하나.", f"{name} 둘."] for name in ("배", "차", "밤", "말", "다리")]  # all of one length
MANY = [*DOCUMENTS, *ALIKE[1:]]
TURNS = 300  # draws enough that every candidate comes up


def neighbours_of(documents: list[list[Sentence]]) -> list[tuple[Sentence, Sentence]]:
    return [pair for own in documents for pair in zip(own, own[1:])]


def without_negatives(answer: Any, documents: list, coins: list[bool], turn: int) -> Any:
    """The pairs, with … where a sentence was drawn: which one is anybody's choice."""
    pairs = answer(documents, coins, random.Random(turn).randrange)
    if not isinstance(pairs, list | tuple):
        return pairs
    return [
        (pair[0], "…", 1) if isinstance(pair, list | tuple) and len(pair) == 3 and pair[2] == 1 else pair
        for pair in pairs
    ]


class Counted(random.Random):
    """Draws, and counts how often."""

    calls = 0

    def draw(self, count: int) -> int:
        self.calls += 1
        return self.randrange(count)


def negatives(
    answer: Any, documents: list[list[Sentence]], turns: int = TURNS
) -> Iterator[tuple[list[Pair], int]]:
    """All coins False, with other draws in each turn: the pairs, and how often it drew."""
    coins = [False] * len(neighbours_of(documents))
    for turn in range(turns):
        source = Counted(turn)
        pairs = call(answer, documents, coins, source.draw)
        yield [tuple(pair) for pair in pairs], source.calls


def undrawn(answer: Any) -> dict[str, Any] | None:
    expected = len(neighbours_of(DOCUMENTS))
    (_, calls), *_ = negatives(answer, DOCUMENTS, turns=1)
    return {"expected": expected, "actual": calls} if calls < expected else None


def hits_the_next(documents: list) -> Callable[[Any], dict[str, Any] | None]:
    """Is a negative ever the true next sentence?"""

    def broken(answer: Any) -> dict[str, Any] | None:
        for pairs, _ in negatives(answer, documents):
            for (first, following), pair in zip(neighbours_of(documents), pairs):
                if pair[1] == following:
                    return {"first": first, "second": following}
        return None

    return broken


def candidates_of(documents: list) -> list[set[Sentence]]:
    """For each pair of neighbours, what the other documents hold."""
    found = []
    for place, own in enumerate(documents):
        others = {sentence for other in documents[:place] + documents[place + 1 :] for sentence in other}
        found += [others] * (len(own) - 1)
    return found


def same_document(answer: Any) -> dict[str, Any] | None:
    for pairs, _ in negatives(answer, DOCUMENTS):
        for others, (first, second, _) in zip(candidates_of(DOCUMENTS), pairs):
            if second not in others:
                return {"first": first, "second": second}
    return None


def never_comes(documents: list) -> Callable[[Any], dict[str, Any] | None]:
    """Is there a sentence of another document that is never drawn?"""

    def broken(answer: Any) -> dict[str, Any] | None:
        turns = [[pair[1] for pair in pairs] for pairs, _ in negatives(answer, documents)]
        known = zip(neighbours_of(documents), candidates_of(documents), zip(*turns))
        for pair, others, seen in known:
            left = sorted(others - {*seen} - {*pair})  # who leaves out the sentence itself does no harm
            if left:
                return {"first": pair[0], "missing": left[0]}
        return None

    return broken


def ignores_draw(answer: Any) -> bool:
    once, again = ([pairs for pairs, _ in negatives(answer, DOCUMENTS, turns=10)] for _ in range(2))
    return once != again


def uneven(answer: Any) -> dict[str, Any] | None:
    """Where all documents have one length, 8 candidates come up 37.5 ± 5.7 times each in 300 turns."""
    turns = [[pair[1] for pair in pairs] for pairs, _ in negatives(answer, ALIKE)]
    for (first, _), seen in zip(neighbours_of(ALIKE), zip(*turns)):
        (most, often), *_, (least, rarely) = Counter(seen).most_common()
        if rarely < 12 or often > 63:
            return {"first": first, "most": most, "often": often, "least": least, "rarely": rarely}
    return None


def one_draw(answer: Any) -> dict[str, int] | None:
    """Five negatives drawn each for itself hardly ever come together again; from one draw there are few."""
    different = len({tuple(pairs) for pairs, _ in negatives(answer, DOCUMENTS)})
    return {"turns": TURNS, "actual": different} if 1 < different < 60 else None


def labels_of(found: Found) -> tuple[list[int], list[int]]:
    return [label for *_, label in found.right], [label for *_, label in found.yours]


def only_negatives_mislabelled(found: Found) -> bool:
    right, yours = labels_of(found)
    return (
        right != yours
        and all(one == other for one, other in zip(right, yours) if one == 0)
        and 1 not in yours
        and not {pair[:2] for pair in map(tuple, found.yours)} <= {*neighbours_of(DOCUMENTS)}
    )


def told_pair(found: Found) -> dict[str, Any]:
    if not found.difference.index:
        return {}
    place = found.difference.index[0]
    right, yours = found.right[place], found.yours[place]
    pairs = {"expected": "({}, {}, {})".format(*right), "actual": "({}, {}, {})".format(*yours)}
    return pairs | {"first": right[0], "second": right[1]}


SENTENCE_PAIRS = Exercise(
    "12.3",
    level="stretch",
    reference=sentence_pairs,
    run=without_negatives,
    cases={
        "next": lambda: (DOCUMENTS, [True] * 5, 0),
        "mixed": lambda: (DOCUMENTS, [False, True, True, False, False], 1),
    },
    mistakes=changes_of(
        sentence_pairs,
        {
            "across_documents": {
                "own in documents": "own in [sum(documents, [])]",
                "coins[len(pairs)]": "coins[len(pairs) % len(coins)]",
            },
            "count": {"own[1:]": "own[1:-1]"},
            "label_flipped": {"following, 0)": "following, 1)", "wrong))], 1)": "wrong))], 0)"},
            "next": {"(first, following, 0)": "(following, first, 0)"},
            "coins": [  # the second begins anew in each document
                {"coins[len(pairs)]": "coins[0]"},
                {"coins[len(pairs)]": "coins[own.index(first)]"},
            ],
            "triple": {"following, 0)": "following)", "len(wrong))], 1)": "len(wrong))])"},
            "replaces_a": {"(first, wrong[draw(len(wrong))], 1)": "(wrong[draw(len(wrong))], following, 1)"},
            "mixed": {  # the next sentences from a queue: after a negative they slip
                "pairs = []": "pairs, queue = [], [one for own in documents for one in own[1:]]",
                "(first, following, 0)": "(first, queue.pop(0), 0)",
            },
            "negative_label": {"wrong))], 1)": "wrong))], 0)"},
            "undrawn": {"draw(len(wrong))": "len(pairs) % len(wrong)"},
            "true_next": {" if sentence != following": ""},
            "same_document": {" if other is not own": ""},
            "never_drawn": {"in other]": "in other[:1]]"},
            "few_documents": {"other in documents": "other in documents[:5]"},
            "two_clashes": {  # one further, which may be the same sentence again
                "wrong = [sentence for sentence in elsewhere if sentence != following]": (
                    "place = draw(len(elsewhere))\n"
                    "            place = (place + (elsewhere[place] == following)) % len(elsewhere)"
                ),
                "wrong[draw(len(wrong))]": "elsewhere[place]",
            },
            "copy_left_out": {"other is not own": "other != own"},
            "ignores_draw": {"draw(len(wrong))": "(draw(len(wrong)), random.randrange(len(wrong)))[1]"},
            "one_draw": {  # it draws for each, and uses the first one for all
                "pairs = []": "pairs, drawn = [], []",
                "wrong[draw(len(wrong))]": "wrong[(drawn.append(draw(len(wrong))), drawn[0])[1] % len(wrong)]",
            },
            "uneven": {"draw(len(wrong))": "min(draw(len(wrong)), draw(len(wrong)))"},
        },
    ),
    signs={
        "across_documents": lambda found: len(found.yours) == sum(map(len, DOCUMENTS)) - 1,
        "triple": lambda found: found.kind == "length" and found.difference.index != (),
        "count": lambda found: found.kind == "length",
        "label_flipped": lambda found: found.case == "next" and {label for *_, label in found.yours} == {1},
        "negative_label": only_negatives_mislabelled,
        "coins": lambda found: found.case == "mixed" and labels_of(found)[0] != labels_of(found)[1],
        "replaces_a": lambda found: found.right[found.difference.index[0]][1] == "…",
    },
    facts={
        **dict.fromkeys(("next", "mixed", "label_flipped"), told_pair),
        "negative_label": lambda found: {
            "first": found.yours[found.difference.index[0]][0],
            "second": found.yours[found.difference.index[0]][1],
            "actual": found.yours[found.difference.index[0]][2],
        },
        "coins": lambda found: dict(zip(("expected", "actual"), labels_of(found))),
        "replaces_a": lambda found: told_pair(found) | {"actual": found.yours[found.difference.index[0]][0]},
    },
    properties={
        "undrawn": undrawn,
        "true_next": hits_the_next(DOCUMENTS),
        "same_document": same_document,
        "one_draw": one_draw,
        "never_drawn": never_comes(DOCUMENTS),
        "ignores_draw": ignores_draw,
        "few_documents": never_comes(MANY),
        "two_clashes": hits_the_next(TWICE),
        "copy_left_out": never_comes(COPIED),
        "uneven": uneven,
    },
    forbids=("course_utils.datasets.pretraining",),
)

EXERCISES = [APPLY_FATES, MASKED_LM_LOSS, SENTENCE_PAIRS]
