"""Exercises of notebook 12: the two tasks of pre-training."""

from __future__ import annotations

import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, expect_tuple
from course_utils.exercises.core import number as as_number

Sentence = str


def apply_fates(
    input_ids: Tensor, chosen: Tensor, fate: Tensor, random_ids: Tensor, mask_id: int
) -> tuple[Tensor, Tensor]:
    corrupted = input_ids.clone()
    corrupted[chosen & (fate < 0.8)] = mask_id
    swapped = chosen & (fate >= 0.8) & (fate < 0.9)
    corrupted[swapped] = random_ids[swapped]
    return corrupted, input_ids.masked_fill(~chosen, -100)


def check_apply_fates(answer: object) -> None:
    _check_fates(
        answer,
        input_ids=[[2, 20, 21, 22, 23, 24, 0, 3]],
        chosen=[[0, 1, 1, 1, 0, 0, 1, 0]],
        fate=[[0.1, 0.3, 0.85, 0.95, 0.2, 0.85, 0.05, 0.99]],
        random_ids=[[50, 51, 52, 53, 54, 55, 56, 57]],
    )
    generator = torch.Generator().manual_seed(3)
    shape = (11, 13)
    _check_fates(
        answer,
        input_ids=torch.randint(5, 47, shape, generator=generator).tolist(),
        chosen=(torch.rand(shape, generator=generator) < 0.5).int().tolist(),
        fate=torch.rand(shape, generator=generator, dtype=torch.float64).tolist(),
        random_ids=torch.randint(53, 97, shape, generator=generator).tolist(),
    )
    _check_fates(  # both edges, a random token that is the true one, another number for [MASK]
        answer,
        input_ids=[[20, 21, 22, 23]],
        chosen=[[1, 1, 1, 1]],
        fate=[[0.8, 0.9, 0.85, 0.5]],
        random_ids=[[50, 51, 22, 53]],
        mask_id=9,
    )
    _check_fates(  # close to the edges, and 0; a token that is [MASK] already
        answer,
        input_ids=[[20, 21, 22, 23, 24, 9]],
        chosen=[[1, 1, 1, 1, 1, 1]],
        fate=[[0.0, 0.7996, 0.8004, 0.8996, 0.9004, 0.4]],
        random_ids=[[50, 51, 52, 53, 54, 55]],
        mask_id=9,
    )


def _check_fates(
    answer: object, *, input_ids: list, chosen: list, fate: list, random_ids: list, mask_id: int = 4
) -> None:
    ids, randoms = torch.tensor(input_ids), torch.tensor(random_ids)
    picked, draws = torch.tensor(chosen).bool(), torch.tensor(fate, dtype=torch.float64)
    given = call(answer, ids, picked, draws, randoms, mask_id)
    corrupted, labels = (
        expect_tensor(part, shape=tuple(ids.shape), dtype=torch.int64) for part in expect_tuple(given, 2)
    )
    right, right_labels = apply_fates(ids, picked, draws, randoms, mask_id)
    low, middle, high = draws < 0.8, (draws >= 0.8) & (draws < 0.9), draws >= 0.9
    tenth_first = torch.where(draws < 0.1, randoms, torch.where(draws < 0.9, mask_id, ids))
    likely = [
        ("masked_at_edge", torch.where(picked & (draws == 0.8), mask_id, right)),
        ("random_at_edge", torch.where(picked & (draws == 0.9), randoms, right)),
        ("fixed_mask_id", torch.where(picked & low, 4, right)),
        ("not_only_chosen", torch.where(low, mask_id, torch.where(middle, randoms, ids))),
        ("only_masks", torch.where(picked, mask_id, ids)),
        ("no_random", torch.where(picked & low, mask_id, ids)),
        ("never_kept", torch.where(picked, torch.where(low, mask_id, randoms), ids)),
        ("kept_masked", torch.where(picked & middle, randoms, torch.where(picked, mask_id, ids))),
        (
            "random_kept_swapped",
            torch.where(picked, torch.where(low, mask_id, torch.where(high, randoms, ids)), ids),
        ),
        ("wrong_side", torch.where(picked, tenth_first, ids)),
    ]
    rounded = apply_fates(ids, picked, draws.mul(100).round() / 100, randoms, mask_id)[0]
    likely += [("rounded", rounded), ("zero_fate_kept", torch.where(draws == 0, ids, right))]
    if not torch.equal(corrupted, right):
        reason = next((reason for reason, wrong in likely if torch.equal(corrupted, wrong)), "corrupted")
        row, place = (int(i) for i in (corrupted != right).nonzero()[0])
        facts = {"place": place, "chosen": bool(picked[row, place]), "fate": as_number(draws[row, place])}
        facts |= {"expected": int(right[row, place]), "actual": int(corrupted[row, place])}
        raise Wrong(reason, **facts)
    if not torch.equal(labels, right_labels):
        likely = [
            ("label_corrupted", corrupted.masked_fill(~picked, -100)),
            ("label_everywhere", ids),
            ("label_only_changed", ids.masked_fill(corrupted == ids, -100)),
            ("label_only_masked", ids.masked_fill(corrupted != mask_id, -100)),
            ("label_same_random", right_labels.masked_fill(picked & middle & (randoms == ids), -100)),
            ("label_not_of_mask", right_labels.masked_fill(ids == mask_id, -100)),
            ("label_zero", ids.masked_fill(~picked, 0)),
            ("label_minus_one", ids.masked_fill(~picked, -1)),
            ("label_inverted", ids.masked_fill(picked, -100)),
        ]
        reason = next((reason for reason, wrong in likely if torch.equal(labels, wrong)), "labels")
        row, place = (int(i) for i in (labels != right_labels).nonzero()[0])
        facts = {"expected": int(right_labels[row, place]), "actual": int(labels[row, place])}
        raise Wrong(reason, place=place, **facts)


def masked_lm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    chosen = labels != -100
    log_probabilities = logits[chosen].log_softmax(dim=-1)  # (M, V)
    of_truth = log_probabilities.gather(1, labels[chosen][:, None])  # (M, 1)
    return -of_truth.sum() / max(1, len(of_truth))


def check_masked_lm_loss(answer: object) -> None:
    generator = torch.Generator().manual_seed(5)
    logits = 3 * torch.randn(3, 5, 7, generator=generator, dtype=torch.float64)
    labels = torch.full((3, 5), -100)
    labels[0, :3] = torch.tensor([1, 4, 6])
    labels[1, 2], labels[2, 4] = 0, 3
    leaf = logits.clone().requires_grad_()
    loss = expect_tensor(call(answer, leaf, labels), shape=())
    _check_loss(loss.detach(), logits, labels)
    empty = logits.clone().requires_grad_()
    nothing = expect_tensor(call(answer, empty, torch.full((3, 5), -100)), shape=())
    if not float(nothing.detach()) == 0.0:
        raise Wrong("nothing_chosen", actual=as_number(nothing.detach()))
    far = torch.zeros(1, 2, 3, dtype=torch.float64)
    far[0, 0, 1] = 1000.0
    expect_close(
        call(answer, far, torch.tensor([[0, -100]])).double(), torch.tensor(1000.0).double(), "overflow"
    )
    unread = logits.clone()
    unread[0, 4] = torch.inf  # nothing was chosen there
    expect_close(call(answer, unread, labels).double(), masked_lm_loss(logits, labels), "reads_ignored")
    _check_gradient(loss, leaf, labels)
    more = torch.randn(2, 11, 13, generator=generator, dtype=torch.float64)
    many = torch.arange(22).reshape(2, 11) % 13
    many[0, :3] = -100
    for scores, targets in ((more, many), (more[:1, 3:4], many[:1, 3:4])):
        value = expect_tensor(call(answer, scores, targets), shape=())
        facts = {"shape": tuple(scores.shape), "chosen": int((targets != -100).sum())}
        expect_close(value.double(), masked_lm_loss(scores, targets), "sizes", **facts)
    gradient = _gradient(nothing, empty)
    if gradient is None or gradient.count_nonzero():
        found = "None" if gradient is None else as_number(gradient.flatten()[0])
        raise Wrong("nothing_gradient", actual=found)


def _check_loss(loss: Tensor, logits: Tensor, labels: Tensor) -> None:
    expected = masked_lm_loss(logits, labels)
    every = -logits.log_softmax(-1)  # (3, 5, 7)
    chosen, nonzero = labels != -100, labels > 0
    taken = labels.clamp(min=0)
    each = every.gather(-1, taken[..., None])[..., 0]  # (3, 5)
    rows = (each * chosen).sum(1) / chosen.sum(1)
    plain = -logits.softmax(-1).gather(-1, taken[..., None])[..., 0]
    likely = [
        ("all_positions", each.mean()),
        ("divided_by_all", (each * chosen).sum() / labels.numel()),
        ("sum_not_mean", (each * chosen).sum()),
        ("mean_of_rows", rows.mean()),
        ("drops_token_zero", (each * nonzero).sum() / nonzero.sum()),
        ("drops_token_zero", (each * nonzero).sum() / chosen.sum()),
        ("no_log", (plain * chosen).sum() / chosen.sum()),
        ("sign", -(each * chosen).sum() / chosen.sum()),
        ("softmax_twice", F.cross_entropy(logits[chosen].softmax(-1), labels[chosen])),
    ]
    for reason, wrong in likely:
        if torch.allclose(loss.double(), wrong, atol=1e-5):
            raise Wrong(reason, expected=as_number(expected), actual=as_number(loss))
    expect_close(loss.double(), expected)


def _gradient(loss: Tensor, logits: Tensor) -> Tensor | None:
    """None where the graph was cut, also by an answer that sets requires_grad by hand."""
    return torch.autograd.grad(loss, logits, allow_unused=True)[0] if loss.requires_grad else None


def _check_gradient(loss: Tensor, logits: Tensor, labels: Tensor) -> None:
    gradient = _gradient(loss, logits)
    if gradient is None:
        raise Wrong("no_gradient")
    (expected,) = torch.autograd.grad(masked_lm_loss(logits, labels), logits)
    expect_close(gradient, expected, "gradient")


def sentence_pairs(
    documents: list[list[Sentence]], coins: list[bool], draw: Callable[[int], int]
) -> list[tuple[Sentence, Sentence, int]]:
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
TWICE = [
    *DOCUMENTS,
    ["바다가 넓다.", "바다가 넓다."],
]  # the true next sentence stands twice in a row elsewhere
COPIED = [*DOCUMENTS, list(DOCUMENTS[1])]  # a document that reads like another one
MANY = [*DOCUMENTS, *([f"{name} 하나.", f"{name} 둘."] for name in ("차", "밤", "말", "다리"))]
TURNS = 300  # draws enough that every candidate comes up


def check_sentence_pairs(answer: object) -> None:
    neighbours, _ = _neighbours(DOCUMENTS)
    true_pairs = _pairs(answer, DOCUMENTS, [True] * len(neighbours), 0)
    across = sum(map(len, DOCUMENTS)) - 1
    if len(true_pairs) == across:
        raise Wrong("across_documents", actual=len(true_pairs), expected=len(neighbours))
    if len(true_pairs) != len(neighbours):
        raise Wrong("count", actual=len(true_pairs), expected=len(neighbours))
    if all(label == 1 for *_, label in true_pairs):
        raise Wrong("label_flipped", first=true_pairs[0][0], second=true_pairs[0][1])
    for pair, (a, b) in zip(true_pairs, neighbours):
        if pair != (a, b, 0):
            raise Wrong("next", **_expected(f"({a}, {b}, 0)", pair))
    _check_negatives(answer, DOCUMENTS, clash="true_next", missing="never_drawn")
    _check_mixed(answer)
    _check_draws(answer)
    _check_negatives(answer, MANY, clash="true_next", missing="few_documents")
    _check_negatives(answer, TWICE, clash="two_clashes", missing="never_drawn")
    _check_negatives(answer, COPIED, clash="true_next", missing="copy_left_out")


def _neighbours(documents: list[list[Sentence]]) -> tuple[list[tuple[Sentence, Sentence]], list[set]]:
    """The pairs of neighbours, and for each what other documents hold."""
    neighbours, elsewhere = [], []
    for number, own in enumerate(documents):
        others = {s for other, document in enumerate(documents) if other != number for s in document}
        neighbours += zip(own, own[1:])
        elsewhere += [others] * (len(own) - 1)
    return neighbours, elsewhere


def _check_negatives(answer: object, documents: list[list[Sentence]], *, clash: str, missing: str) -> None:
    """All coins False: only sentences of other documents come, never the true next one, and each of them does."""
    neighbours, elsewhere = _neighbours(documents)
    seen: list[set[str]] = [set() for _ in neighbours]
    for turn in range(TURNS):
        for number, pair in enumerate(_pairs(answer, documents, [False] * len(neighbours), turn)):
            _check_negative(pair, neighbours[number], elsewhere[number], clash)
            seen[number].add(pair[1])
    for pair, found, others in zip(neighbours, seen, elsewhere, strict=True):
        left = sorted(others - found - set(pair))  # whoever leaves out the sentence itself does no harm
        if left:
            raise Wrong(missing, first=pair[0], missing=left[0])


def _check_draws(answer: object) -> None:
    """The same draws must give the same pairs."""
    coins = [False] * len(_neighbours(DOCUMENTS)[0])
    for turn in range(10):
        once, again = (_pairs(answer, DOCUMENTS, coins, turn) for _ in range(2))
        if once != again:
            raise Wrong("ignores_draw")


def _check_negative(pair: tuple, neighbours: tuple[Sentence, Sentence], elsewhere: set, clash: str) -> None:
    first, second, label = pair
    a, b = neighbours
    facts = {"first": first, "second": second}
    if first != a:
        raise Wrong("next", **_expected(f"({a}, …, 1)", pair))
    if second == b:
        raise Wrong(clash, **facts)
    if second not in elsewhere:
        raise Wrong("same_document", **facts)
    if label != 1:
        raise Wrong("negative_label", actual=label, **facts)


def _check_mixed(answer: object) -> None:
    neighbours, elsewhere = _neighbours(DOCUMENTS)
    coins = [number % 2 == 1 for number in range(len(neighbours))]
    pairs = _pairs(answer, DOCUMENTS, coins, 1)
    labels, expected = [label for *_, label in pairs], [0 if coin else 1 for coin in coins]
    if labels != expected:
        raise Wrong("coins", expected=expected, actual=labels)
    for number, (pair, (a, b), coin) in enumerate(zip(pairs, neighbours, coins, strict=True)):
        if coin and pair != (a, b, 0):
            raise Wrong("mixed", **_expected(f"({a}, {b}, 0)", pair))
        if not coin and (pair[0] != a or pair[1] == b or pair[1] not in elsewhere[number]):
            raise Wrong("mixed", **_expected(f"({a}, …, 1)", pair))


def _expected(expected: str, pair: tuple) -> dict[str, str]:
    return {"expected": expected, "actual": "({}, {}, {})".format(*pair)}


def _pairs(answer: object, documents: list, coins: list[bool], turn: int) -> list[tuple]:
    """What the answer gives for the draws of that turn; it must have drawn for each negative."""
    source, calls = random.Random(turn), 0

    def draw(count: int) -> int:
        nonlocal calls
        calls += 1
        return source.randrange(count)

    result = call(answer, documents, coins, draw)
    if not isinstance(result, list | tuple):
        raise Wrong("tuple", expected=len(coins), actual=type(result).__name__)
    if calls < coins.count(False):
        raise Wrong("undrawn", expected=coins.count(False), actual=calls)
    return [expect_tuple(pair, 3) for pair in result]


EXERCISES = [
    Exercise("12.1", level="warm-up", check=check_apply_fates, solution=apply_fates),
    Exercise("12.2", level="core", check=check_masked_lm_loss, solution=masked_lm_loss),
    Exercise("12.3", level="stretch", check=check_sentence_pairs, solution=sentence_pairs),
]
