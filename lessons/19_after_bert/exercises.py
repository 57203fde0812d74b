"""Exercises of notebook 19: span lengths, ALBERT's size, ELECTRA's labels, soft targets, sentence order."""

from __future__ import annotations

import math
import random
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.config import BertConfig
from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Departure, Exercise, Found, Several, call, number

PACKAGE = ("course_utils.after",)
MODELS = (
    *PACKAGE,
    *(f"course_utils.{part}" for part in ("attention", "bert", "embeddings", "encoder", "heads")),
    "transformers.models",
    "torch.nn.modules",
)
IGNORE = -100


REPLACED = ("course_utils.after:replaced", torch.tensor([[1]]), torch.tensor([[1]]))


# ---- 19.1


def span_length_shares(p: float, longest: int) -> list[float]:
    weights = [(1 - p) ** (length - 1) for length in range(1, longest + 1)]  # p itself would cancel
    return [weight / sum(weights) for weight in weights]


def tail_on_last(p, longest):
    raw = [p * (1 - p) ** place for place in range(longest)]
    return [*raw[:-1], 1 - sum(raw[:-1])]


def by_difference(p, longest):
    """The notebook's formula as it stands: 0/0 where p is tiny."""
    return [p * (1 - p) ** place / (1 - (1 - p) ** longest) for place in range(longest)]


def by_difference_or_even(p, longest):
    return by_difference(p, longest) if 1 - (1 - p) ** longest else [1 / longest] * longest


def by_logarithms(p, longest):
    """Exact for the smallest p; log1p(−1) is an error."""
    whole = -math.expm1(longest * math.log1p(-p))
    return [p * math.exp(place * math.log1p(-p)) / whole for place in range(longest)]


def drawn_share():
    return 0.05 + 0.9 * float(torch.rand(()))


def first_shares(values: Any) -> str:
    """A list of numbers as a learner reads it: the first four."""
    shown = [f"{value:.3g}" for value in list(values)[:4]]
    return "[" + ", ".join([*shown, "…"] if len(values) > 4 else shown) + "]"


def shares_told(found: Found) -> dict[str, Any]:
    if found.kind != "value":
        return {}
    return {"length": found.difference.index[0] + 1, "total": number(sum(found.yours))}


SPAN_LENGTHS = Exercise(
    "19.1",
    level="warm-up",
    reference=span_length_shares,
    atol=1e-6,
    show=first_shares,
    cases={
        "by_hand": lambda: (0.5, 3),
        "other_values": lambda: [(0.2, 10), *((drawn_share(), longest) for longest in (1, 2, 7, 11, 13, 29))],
        "p_is_one": lambda: (1.0, 5),
        "cancelled": lambda: [(p, 4) for p in (1e-17, 3e-16, 1e-14, 3e-13)],  # 1 − p has lost digits of p
        "long_spans": lambda: [(drawn_share() / longest, longest) for longest in (59, 331)],
    },
    mistakes=changes_of(
        span_length_shares,
        {
            "not_normalised": {"weight / sum(weights)": "p * weight"},
            "tail_on_last": tail_on_last,
            "from_zero": {"weight / sum(weights)": "p * (1 - p) * weight"},
            "uniform": lambda p, longest: [1 / longest] * longest,
            "softmax": lambda p, longest: [
                share.item()
                for share in torch.tensor([p * (1 - p) ** at for at in range(longest)]).softmax(0)
            ],
            "reversed": lambda p, longest: span_length_shares(p, longest)[::-1],
            "p_reversed": {"(1 - p) **": "p **"},
            "rounded": [
                {"weight / sum(weights)": f"round(weight / sum(weights), {digits})"} for digits in range(1, 6)
            ],
            "value": {"(length - 1)": "(2 * length - 2)"},
            "other_values": {"(1 - p)": "(0.5 if p == 0.5 else 0.8 + p / 100)"},
            "p_is_one": {"(1 - p)": "(1 - p if p < 1 else 1)"},
            "p_is_one_raised": by_logarithms,
            "cancelled": [by_difference, by_difference_or_even],
            "long_spans": {" for length": " * (length < 30) for length"},
            "length": lambda p, longest: [0.0, *span_length_shares(p, longest)],
            "ready_made": after_calling(span_length_shares, *REPLACED),
        },
    ),
    facts={"*": shares_told},
    forbids=PACKAGE,
)


# ---- 19.2


def albert_parameters(
    vocabulary: int, positions: int, embedding: int, hidden: int, intermediate: int, layers: int
) -> int:
    tables = (vocabulary + positions + 2) * embedding  # three, of width E
    embeddings = tables + 2 * embedding  # and a LayerNorm
    project = embedding * hidden + hidden
    attention = 4 * (hidden * hidden + hidden) + 2 * hidden  # query, key, value, output; LayerNorm
    feed_forward = 2 * hidden * intermediate + intermediate + hidden + 2 * hidden
    pooler = hidden * hidden + hidden
    return embeddings + project + attention + feed_forward + pooler  # the one layer serves all `layers`


# reason -> what a formula with this fault has too many, from V, P, E, C, I and L
TOO_MANY = {
    "layers_multiplied": [lambda v, t, e, c, i, n: (n - 1) * (4 * (c * c + c) + 2 * c * i + i + c + 4 * c)],
    "not_factorised": [
        lambda v, t, e, c, i, n: (v + t + 4) * (c - e) - (e * c + c),
        lambda v, t, e, c, i, n: v * (c - e),
    ],
    "wide_positions": [lambda v, t, e, c, i, n, more=more: (t + more) * (c - e) for more in (0, 2, 4)],
    "no_projection": [lambda v, t, e, c, i, n: -e * c - c],
    "projection_bias": [lambda v, t, e, c, i, n: -c],
    "square_missing": [lambda v, t, e, c, i, n: -c * c - c],  # the pooler, or one matrix of the attention
    "pair_missing": [lambda v, t, e, c, i, n: -2 * e],  # the segments, or the LayerNorm of the embeddings
    "pairs_missing": [lambda v, t, e, c, i, n: -4 * e],  # both
    "inner_bias": [lambda v, t, e, c, i, n: -i],
    "no_positions": [lambda v, t, e, c, i, n: -t * e],
    "wide_norm": [lambda v, t, e, c, i, n: 2 * (c - e)],
    "one_norm": [lambda v, t, e, c, i, n: -2 * c],
    "no_norms": [lambda v, t, e, c, i, n: -2 * e - 4 * c, lambda v, t, e, c, i, n: -4 * c],
    "no_biases": [lambda v, t, e, c, i, n: -7 * c - i, lambda v, t, e, c, i, n: -5 * c - i],
    "four_times": [lambda v, t, e, c, i, n: (4 * c - i) * (2 * c + 1)],
    "with_head": [lambda v, t, e, c, i, n: c * e + e + 2 * e + v],
}


def counted_with(too_many):
    return lambda *sizes: albert_parameters(*sizes) + too_many(*sizes)


# Stands for a model of transformers, which takes seconds to import.
from_transformers = FunctionType(
    albert_parameters.__code__, {"__name__": "transformers.models.albert.modeling_albert"}
)


def other_sizes():
    """E and C differ."""
    v, t, e, c, i, n = torch.randint(2, 100, (6,)).tolist()
    return v, t, e, c + 100, i, n


def sizes_told(found: Found) -> dict[str, str]:
    if found.kind != "value":
        return {}
    named = zip(("V", "P", "E", "C", "I", "L"), found.given)
    return {
        "given": ", ".join(f"{name} = {one}" for name, one in named),
        "expected": f"{found.right:,}",
        "actual": f"{found.yours:,}",
        "off": f"{found.yours - found.right:+,}",
    }


ALBERT_PARAMETERS = Exercise(
    "19.2",
    level="core",
    reference=albert_parameters,
    cases={
        "by_hand": lambda: (101, 17, 5, 12, 31, 7),
        "other_sizes": lambda: [other_sizes() for _ in range(9)],
    },
    mistakes={
        **{reason: Several(map(counted_with, ways)) for reason, ways in TOO_MANY.items()},
        "value": lambda *sizes: 11_683_584,
        "other_sizes": lambda *sizes: {101: 2297}.get(sizes[0], 11_683_584),
        "ready_made": Several(
            [
                after_calling(albert_parameters, *REPLACED),
                after_calling(albert_parameters, "course_utils.bert:Pooler", BertConfig.tiny()),
                after_calling(albert_parameters, "torch.nn:Linear", 2, 3),
                from_transformers,
            ]
        ),
    },
    facts={"*": sizes_told},
    forbids=MODELS,
)


# ---- 19.3


def electra_batch(
    input_ids: Tensor, chosen: Tensor, guesses: Tensor, attention_mask: Tensor
) -> tuple[Tensor, Tensor]:
    corrupted = torch.where(chosen, guesses, input_ids)  # (B, T)
    labels = (corrupted != input_ids).long()  # a guess that is right is the original
    return corrupted, labels.masked_fill(attention_mask == 0, IGNORE)


# The first three spoil the tokens, the others the labels.
OTHER_STEPS = changes_of(
    electra_batch,
    {
        "guesses_everywhere": {"torch.where(chosen, guesses, input_ids)": "guesses"},
        "chosen_reversed": {"(chosen, guesses": "(~chosen, guesses"},
        "never_corrupted": {"torch.where(chosen, guesses, input_ids)": "input_ids"},
        "masked_is_replaced": [
            {"(corrupted != input_ids)": "chosen"},
            {"(corrupted != input_ids)": "chosen", "== 0": "> 1"},
        ],
        "labels_reversed": {"!=": "=="},
        "only_masked": {"attention_mask == 0": "~chosen | (attention_mask == 0)"},
        "padding_counted": {"== 0": "> 1"},
        "other_mark": {"IGNORE": "-1"},
        "guess_unlike_token": {"(corrupted !=": "(guesses !="},
        "the_words": {"(corrupted != input_ids).long()": "input_ids.where(chosen, IGNORE)"},
    },
)


def is_that_step(reason):
    place = list(OTHER_STEPS).index(reason) > 2
    step = OTHER_STEPS[reason]
    step = step[0] if isinstance(step, Several) else step

    def holds(found: Found) -> bool:
        wrong = step(*found.given)[place]
        return torch.equal(found.yours[place], wrong) and not torch.equal(wrong, found.right[place])

    return holds


def electra_inputs(batch, length, vocab, in_front=False):
    """Of a few ids 0 is a real token, too; some guesses are right."""
    mask = (torch.arange(length) < torch.randint(1, length + 1, (batch, 1))).long()
    mask = mask.flip(1) if in_front else mask
    ids, guesses = torch.randint(vocab, (2, batch, length))
    guesses = torch.where(torch.rand(batch, length) < 0.4, ids, guesses)
    return ids, (torch.rand(batch, length) < 0.6) & mask.bool(), guesses, mask


def electra_by_hand():
    return (
        torch.tensor([[2, 7, 8, 9, 3, 0], [2, 5, 6, 7, 8, 3]]),
        torch.tensor([[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0]]).bool(),
        torch.tensor([[4, 7, 5, 4, 4, 4], [4, 4, 6, 7, 9, 4]]),
        torch.tensor([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]),
    )


def place_told(found: Found) -> dict[str, int]:
    return dict(zip(("row", "column"), found.difference.index)) if found.kind == "value" else {}


def left_out_id(found: Found) -> dict[str, int]:
    ids, mask = found.given[0], found.given[3]
    return {"id": int(ids[(found.yours[1] == IGNORE) & (mask == 1)][0])}


ELECTRA_BATCH = Exercise(
    "19.3",
    level="core",
    reference=electra_batch,
    parts={"corrupted": 0, "labels": 1},
    cases={
        "by_hand": electra_by_hand,
        "other_batches": lambda: [
            electra_inputs(batch, length, 5) for batch, length in [(3, 7), (1, 1), (7, 13), (2, 29), (1, 300)]
        ],
        "large_ids": lambda: electra_inputs(3, 17, 30000),
        "padding_in_front": lambda: electra_inputs(5, 11, 30000, in_front=True),
    },
    mistakes=OTHER_STEPS
    | changes_of(
        electra_batch,
        {
            "corrupted": {"guesses, input_ids)": "4, input_ids)"},
            "labels": {"(corrupted != input_ids).long()": "torch.zeros_like(input_ids)"},
            "other_batches_corrupted": {"(chosen, ": "(chosen & (torch.arange(chosen.shape[1]) < 6), "},
            "other_batches_labels": {
                "attention_mask ==": "attention_mask[: len(chosen) if len(chosen) < 3 else 1] =="
            },
            "padding_by_id": [
                {"attention_mask == 0": "input_ids == 0"},
                {"attention_mask == 0": "(input_ids == 0) | (attention_mask == 0)"},
            ],
            "special_by_id": {"attention_mask == 0": "(attention_mask == 0) | (input_ids > 9)"},
            "large_ids": {"(chosen, ": "(chosen & (input_ids <= 9), "},
            "padding_in_front": {
                "attention_mask == 0": (
                    "torch.arange(input_ids.shape[1]) >= attention_mask.sum(dim=1, keepdim=True)"
                )
            },
            "ready_made": after_calling(electra_batch, *REPLACED),
        },
    ),
    signs={reason: is_that_step(reason) for reason in OTHER_STEPS},
    facts={"*": place_told, "special_by_id": left_out_id},
    forbids=PACKAGE,
)


# ---- 19.4


def soft_target_loss(
    student_logits: Tensor, teacher_logits: Tensor, temperature: float, attention_mask: Tensor
) -> Tensor:
    real = attention_mask == 1  # (B, T)
    student = (student_logits[real] / temperature).log_softmax(dim=-1)  # (N, V)
    teacher = (teacher_logits[real].detach() / temperature).log_softmax(dim=-1)  # (N, V)
    divergence = (teacher.exp() * (teacher - student)).sum(dim=-1)  # (N,)
    return temperature**2 * divergence.mean()


def teacher_learns(answer: Any) -> dict[str, str] | None:
    student, teacher = (3 * torch.randn(2, 3, 5, 7, dtype=torch.float64)).requires_grad_()
    loss = call(answer, student, teacher, 2.0, torch.ones(3, 5, dtype=torch.long))
    (moved,) = torch.autograd.grad(loss, teacher, allow_unused=True, materialize_grads=True)
    return {"actual": number(moved.abs().max())} if moved.abs().max() > 1e-9 else None


def soft_targets(batch, length, size, tau):
    student, teacher = 3 * torch.randn(2, batch, length, size, dtype=torch.float64)
    lengths = torch.randint(1, length + 1, (batch, 1))
    return student, teacher, tau, (torch.arange(length) < lengths).long()


def far_scores(size, tau):
    """Probabilities whose logarithm is that of 0; the loss and its gradient are finite nevertheless."""
    far = size * torch.tensor([[[1.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]], dtype=torch.float64)
    noise = torch.randn(2, 1, 3, 3, dtype=torch.float64)
    return noise[0] + far, noise[1] - far, tau, torch.tensor([[1, 1, 0]])


SOFT_TARGET_LOSS = Exercise(
    "19.4",
    level="core",
    reference=soft_target_loss,
    strict=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [9.0, 0.0, 0.0]]]),
            torch.tensor([[[3.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.0, 9.0]]]),
            2.0,
            torch.tensor([[1, 1, 0]]),
        ),
        "other_batches": lambda: [
            soft_targets(*sizes)
            for sizes in [(3, 5, 7, 2.0), (1, 1, 2, 1.0), (2, 7, 13, 5.0), (5, 3, 11, 0.5), (2, 300, 3, 3.0)]
        ],
        "far": lambda: [
            far_scores(*given) for given in [(400.0, 1.0), (400.0, 0.5), (3000.0, 2.0), (7000.0, 5.0)]
        ],
    },
    mistakes=changes_of(
        soft_target_loss,
        {
            "no_square": {"temperature**2 * ": ""},
            "once": {"**2": ""},
            "divided": {"temperature**2 * divergence.mean()": "divergence.mean() / temperature**2"},
            "student_as_it_is": {"student_logits[real] / temperature": "student_logits[real]"},
            "teacher_as_it_is": {".detach() / temperature": ".detach()"},
            "no_temperature": [{" / temperature": ""}, {" / temperature": "", "temperature**2 * ": ""}],
            "multiplied": {" / temperature": " * temperature"},
            "turned_round": {"teacher.exp() * (teacher - student)": "student.exp() * (student - teacher)"},
            "cross_entropy": [
                {"(teacher - student)": "-student"},
                {"(teacher - student)": "-student", "temperature**2 * ": ""},
            ],
            "padding_counted": [
                {"attention_mask == 1": "attention_mask >= 0"},
                {".mean()": ".sum() / attention_mask.numel()"},
            ],
            "mean_of_rows": {
                "divergence.mean()": (
                    "sum(row.mean() for row in divergence.split(real.sum(1).tolist())) / len(real)"
                )
            },
            "summed": [
                {".mean()": ".sum()"},
                # what F.kl_div with "batchmean" makes of (B, T, V): divided by B alone
                {"attention_mask == 1": "attention_mask >= 0", ".mean()": ".sum() / len(real)"},
            ],
            "over_vocabulary": {".mean()": ".mean() / student.shape[-1]"},
            "best_word": lambda student, teacher, _, mask: F.cross_entropy(
                student[mask == 1], teacher[mask == 1].argmax(-1)
            ),
            "value": {".mean()": ".max()"},
            "other_batches": {"real =": "temperature = 2.0\n    real ="},
            "far": {"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
            "far_gradient": {
                "real =": (
                    "if student_logits.abs().max() > 100:\n"
                    "        student_logits = 2 * student_logits - student_logits.detach()\n"
                    "    real ="
                )
            },
            "teacher_learns": {".detach()": ""},
            "ready_made": after_calling(soft_target_loss, *REPLACED),
        },
    ),
    facts={"far": lambda found: {"size": f"{round(float(found.given[0].abs().max()), -2):.0f}"}},
    properties={"teacher_learns": teacher_learns},
    forbids=PACKAGE,
)


# ---- 19.5


def order_pairs(documents: list[list[str]], generator: torch.Generator) -> list[tuple[str, str, int]]:
    pairs = []
    for document in documents:
        for first, second in zip(document, document[1:]):  # never beyond the document's end
            if torch.rand((), generator=generator) < 0.5:
                pairs.append((second, first, 1))
            else:
                pairs.append((first, second, 0))
    return pairs


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def of_sentences(*lengths: int) -> list[list[str]]:
    """Documents whose sentences are all different, with names drawn afresh."""
    names = [f"문장 {place}" for place in torch.randperm(10**4)[: sum(lengths)].tolist()]
    return [[names.pop() for _ in range(length)] for length in lengths]


def pairs_of(answer: Any, documents: list[list[str]], seed: int) -> Any:
    """The documents beside the pairs, which can be judged by them alone."""
    pairs = answer(documents, seeded(seed))
    return pairs if pairs is None or pairs is Ellipsis else (documents, pairs)


def fault_of(documents: list[list[str]], pairs: Any) -> tuple[str, dict[str, Any]] | None:
    """All neighbours in the order of the text, each pair with the label that is its own: the first that is not so."""
    if not isinstance(pairs, list | tuple):
        return "pairs", {"actual": type(pairs).__name__}
    together = {sentence: place for place, one in enumerate(documents) for sentence in one}
    for pair in pairs:
        shaped = isinstance(pair, tuple | list) and len(pair) == 3
        if not shaped or not all(isinstance(one, str) for one in pair[:2]):
            return "pairs", {"actual": repr(pair)[:60]}
        first, second, label = pair
        facts = {"first": first, "second": second, "label": label}
        if isinstance(label, str):
            return "label_kind", {"actual": type(label).__name__}
        if first not in together or second not in together:
            return "unknown", facts
        if together[first] != together[second]:
            return "crosses", facts
        here = documents[together[first]]
        step = here.index(second) - here.index(first)
        if abs(step) != 1:
            return "not_neighbours", facts
        if label not in (0, 1):
            return "label_range", facts
        if label != (step < 0):
            return "label_turned", facts | {"right": int(step < 0)}
    wanted = [{*pair} for one in documents for pair in zip(one, one[1:])]
    if len(pairs) != len(wanted):
        return "how_many_pairs", {"expected": len(wanted), "actual": len(pairs)}
    if [{*pair[:2]} for pair in pairs] != wanted:
        return "text_order", {"first": pairs[0][0], "second": pairs[0][1]}
    return None


def compare_pairs(result: Any, right: Any) -> Departure | None:
    fault = fault_of(*result)
    return Departure(fault[0], "", "") if fault else None


def labels_of(answer: Any, documents: list[list[str]], generator: torch.Generator) -> list[int]:
    return [int(label) for *_, label in call(answer, documents, generator)]


def documents_of(times: int) -> list[list[str]]:
    """20 pairs a time."""
    return of_sentences(*(3, 2, 7, 1, 11, 2) * times)


def global_random(answer: Any) -> bool:
    documents = of_sentences(5, 3)
    state = random.getstate(), torch.get_rng_state()
    labels_of(answer, documents, seeded(1))
    return random.getstate() != state[0] or not torch.equal(torch.get_rng_state(), state[1])


def not_repeatable(answer: Any) -> bool:
    documents = documents_of(5)
    return labels_of(answer, documents, seeded(1)) != labels_of(answer, documents, seeded(1))


def never_varied(answer: Any) -> dict[str, int] | None:
    labels = labels_of(answer, documents_of(5), seeded(1))
    return {"label": labels[0], "count": len(labels)} if len({*labels}) == 1 else None


def not_half(answer: Any) -> dict[str, int] | None:
    documents = documents_of(240)
    for seed in (1, 2):
        labels = labels_of(answer, documents, seeded(seed))
        if not 0.471 < sum(labels) / len(labels) < 0.529:  # of 4800: four standard deviations
            return {"swapped": sum(labels), "count": len(labels), "half": len(labels) // 2}
    return None


def generator_unused(answer: Any) -> bool:
    documents = documents_of(5)
    return labels_of(answer, documents, seeded(1)) == labels_of(answer, documents, seeded(2))


def not_independent(answer: Any) -> dict[str, str] | None:
    """Labels by document, or in turns."""
    documents = documents_of(240)
    labels = iter(labels_of(answer, documents, seeded(1)))
    inside = [[next(labels) for _ in document[1:]] for document in documents]
    alike = [one == other for own in inside for one, other in zip(own, own[1:])]
    share = sum(alike) / len(alike)  # of 3600, so that 0.008 is one standard deviation
    return None if 0.46 < share < 0.54 else {"alike": number(100 * share)}


def few_patterns(answer: Any) -> dict[str, int] | None:
    """Of six pairs 63 of 64 patterns are expected, 60 or more almost always."""
    documents, seeds = of_sentences(4, 1, 3, 2), 256
    patterns = {tuple(labels_of(answer, documents, seeded(seed))) for seed in range(seeds)}
    facts = {"pairs": 6, "seeds": seeds, "found": len(patterns), "expected": 2**6}
    return facts if len(patterns) < 52 else None


def generator_unmoved(answer: Any) -> bool:
    documents, generator = of_sentences(90), seeded(3)
    return labels_of(answer, documents, generator) == labels_of(answer, documents, generator)


def by_text(answer: Any) -> bool:
    twice = ["같은 문장", "다른 문장", "같은 문장", "다른 문장"]
    found = [(first, second, int(label)) for first, second, label in call(answer, [twice], seeded(3))]
    right = [{(*pair, 0), (*pair[::-1], 1)} for pair in zip(twice, twice[1:])]
    return len(found) != 3 or any(pair not in either for pair, either in zip(found, right))


def out_of_nothing(answer: Any) -> bool:
    return any(len(call(answer, documents, seeded(0))) for documents in ([], [[], ["혼자"]]))


COIN = "torch.rand((), generator=generator)"

ORDER_PAIRS = Exercise(
    "19.5",
    level="stretch",
    reference=order_pairs,
    run=pairs_of,
    compare=compare_pairs,
    gradients=False,
    cases={
        "by_hand": lambda: (of_sentences(3, 1, 2, 0, 5), 0),
        "many": lambda: (
            [(of_sentences(4, 1, 3, 2), seed) for seed in range(8)]
            + [(documents_of(9), 1), (of_sentences(90), 3)]
        ),
    },
    mistakes=changes_of(
        order_pairs,
        {
            "crosses": [
                {  # next sentence prediction: the second of half the pairs comes from another document
                    "pairs.append((second, first, 1))": (
                        "others = [one for other in documents if other is not document for one in other]\n"
                        "                place = torch.randint(len(others), (), generator=generator)\n"
                        "                pairs.append((first, others[int(place)], 1))"
                    )
                },
                {"in documents": "in [sum(documents, [])]"},
            ],
            "not_neighbours": {"document[1:]": "document[2:]"},
            "label_turned": {"first, 1)": "first, 0)", "second, 0)": "second, 1)"},
            "label_range": {"first, 1)": "first, -1)", "second, 0)": "second, 1)"},
            "label_kind": {"first, 1)": "first, '1')", "second, 0)": "second, '0')"},
            "unknown": {"(first, second, 0)": "(first + ' ', second, 0)"},
            "how_many_pairs": {"zip(document, document[1:])": "zip(document[::2], document[1::2])"},
            "text_order": {"return pairs": "return pairs[::-1]"},
            "pairs": {"first, 1)": "first)", "second, 0)": "second)"},
            "global_random": [{", generator=generator": ""}, {COIN: "random.random()"}],
            "not_repeatable": {
                "pairs = []": "pairs, generator = [], seeded(torch.Generator().seed() % 2**31)"
            },
            "never_varied": {"< 0.5": "< 0"},
            "not_half": [{"< 0.5": "< 0.15"}, {"< 0.5": "< 0.54"}],
            "generator_unused": {"pairs = []": "pairs, generator = [], seeded(0)"},
            "not_independent": [
                {f"if {COIN}": "if coin", "        for first": f"        coin = {COIN}\n        for first"},
                {  # each label is the one before it, but for 58 of 100
                    "pairs = []": "pairs, swapped = [], False",
                    f"if {COIN} < 0.5": f"swapped ^= bool({COIN} < 0.58)\n            if swapped",
                },
            ],
            "few_patterns": [
                *(
                    {
                        "pairs = []": f"pairs, place = [], int(torch.randint({len(turns)}, (), generator=generator))",
                        f"{COIN} < 0.5": f"{turns}[(place + len(pairs)) % {len(turns)}]",
                    }
                    for turns in ((0, 0, 1, 1), (0, 0, 0, 1, 0, 1, 1, 1))
                ),
                {  # exactly half
                    "pairs = []": (
                        "pairs, count = [], sum(len(one) - 1 for one in documents if one)\n"
                        "    order = torch.randperm(count, generator=generator)"
                    ),
                    f"{COIN} < 0.5": "2 * order[len(pairs)] < count",
                },
            ],
            "generator_unmoved": {"pairs = []": "pairs, generator = [], seeded(generator.initial_seed())"},
            "by_text": {
                "pairs = []": "pairs, seen = [], set()",
                f"if {COIN}": (
                    "both = frozenset((first, second))\n            if both in seen:\n                continue\n"
                    f"            seen.add(both)\n            if {COIN}"
                ),
            },
            "out_of_nothing": {
                "return pairs": "return pairs or [(one[0], one[0], 0) for one in documents if one]"
            },
            "ready_made": after_calling(order_pairs, *REPLACED),
        },
    ),
    facts={"*": lambda found: (fault_of(*found.yours) or ("", {}))[1]},
    properties={
        "global_random": global_random,
        "not_repeatable": not_repeatable,
        "never_varied": never_varied,
        "not_half": not_half,
        "generator_unused": generator_unused,
        "not_independent": not_independent,
        "few_patterns": few_patterns,
        "generator_unmoved": generator_unmoved,
        "by_text": by_text,
        "out_of_nothing": out_of_nothing,
    },
    forbids=PACKAGE,
)

EXERCISES = [SPAN_LENGTHS, ALBERT_PARAMETERS, ELECTRA_BATCH, SOFT_TARGET_LOSS, ORDER_PAIRS]
