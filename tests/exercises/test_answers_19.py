"""Notebook 19: other right answers pass, and cheap tricks do not."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.exercises import exercise
from tests.exercises.wrong_19 import TRICKS, WRONG

# ---- other right answers


def tensor_of_shares(p, longest):
    weights = torch.pow(torch.tensor(1 - p, dtype=torch.float64), torch.arange(longest))
    return weights / weights.sum()


def step_by_step(p, longest):
    weights = [1.0]
    for _ in range(longest - 1):
        weights.append(weights[-1] * (1 - p))
    return tuple(weight / sum(weights) for weight in weights)


def counted(vocabulary, positions, embedding, hidden, intermediate, layers):
    """By the shapes of all that is learned."""
    shapes = [(vocabulary, embedding), (positions, embedding), (2, embedding), (embedding, hidden), (hidden,)]
    shapes += 5 * [(hidden, hidden), (hidden,)]
    shapes += [(hidden, intermediate), (intermediate,), (intermediate, hidden), (hidden,)]
    shapes += 2 * [(embedding,)] + 4 * [(hidden,)]
    return sum(math.prod(shape) for shape in shapes)


def summed_backwards(p, longest):
    """1 + (1 − p)(1 + (1 − p)(…)), in one number."""
    total = 0.0
    for _ in range(longest):
        total = 1 + (1 - p) * total
    shares = [1 / total]
    while len(shares) < longest:
        shares.append(shares[-1] * (1 - p))
    return shares


def added_up(vocabulary, positions, embedding, hidden, intermediate, layers):
    def linear(inputs, outputs):
        return inputs * outputs + outputs

    tables = (vocabulary + positions + 2) * embedding
    squares = 5 * linear(hidden, hidden)
    wide = linear(embedding, hidden) + linear(hidden, intermediate) + linear(intermediate, hidden)
    return tables + squares + wide + 2 * embedding + 2 * 2 * hidden


def by_product(input_ids, chosen, guesses, attention_mask):
    corrupted = input_ids * ~chosen + guesses * chosen
    return corrupted, torch.where(attention_mask > 0, (corrupted != input_ids).long(), -100)


def by_places(input_ids, chosen, guesses, attention_mask):
    corrupted = input_ids.clone()
    corrupted[chosen] = guesses[chosen]
    labels = torch.full_like(input_ids, -100)
    real = attention_mask.bool()
    labels[real] = corrupted[real].ne(input_ids[real]).long()
    return [corrupted, labels]


def by_kl_div(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask.bool()
    student = F.log_softmax(student_logits[real] / temperature, dim=-1)
    teacher = F.log_softmax(teacher_logits[real].detach() / temperature, dim=-1)
    return temperature**2 * F.kl_div(student, teacher, reduction="batchmean", log_target=True)


def cross_entropy_less_entropy(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask == 1
    student, teacher = student_logits[real] / temperature, teacher_logits[real].detach() / temperature
    right = teacher.softmax(-1)
    return temperature**2 * (F.cross_entropy(student, right) - F.cross_entropy(teacher, right))


def by_logsumexp(student_logits, teacher_logits, temperature, attention_mask):
    student, teacher = student_logits / temperature, teacher_logits.detach() / temperature
    student = student - student.logsumexp(-1, keepdim=True)
    teacher = teacher - teacher.logsumexp(-1, keepdim=True)
    each = (teacher.exp() * (teacher - student)).sum(-1)
    return temperature**2 * (each * attention_mask).sum() / attention_mask.sum()


def all_coins_first(documents, generator):
    neighbours = [pair for document in documents for pair in zip(document, document[1:])]
    coins = torch.rand(len(neighbours), generator=generator).tolist()
    return [(*pair[::-1], 1) if coin >= 0.5 else (*pair, 0) for pair, coin in zip(neighbours, coins)]


def by_permutation(documents, generator):
    pairs = []
    for document in documents:
        for two in zip(document, document[1:]):
            first, second = torch.randperm(2, generator=generator).tolist()
            pairs.append((two[first], two[second], int(first > second)))
    return pairs


def by_coins(documents, generator):
    """All coins of a document at once."""
    pairs = []
    for document in documents:
        coins = torch.randint(2, (max(len(document) - 1, 0),), generator=generator).tolist()
        for place, coin in enumerate(coins):
            first, second = document[place : place + 2]
            pairs.append([second, first, 1] if coin else [first, second, 0])
    return pairs


RIGHT = [
    ("19.1", tensor_of_shares),
    ("19.1", step_by_step),
    ("19.1", summed_backwards),
    ("19.2", counted),
    ("19.2", added_up),
    ("19.3", by_places),
    ("19.3", by_product),
    ("19.4", by_kl_div),
    ("19.4", cross_entropy_less_entropy),
    ("19.4", by_logsumexp),
    ("19.5", by_coins),
    ("19.5", all_coins_first),
    ("19.5", by_permutation),
]


@pytest.mark.parametrize(("id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", value))
def test_another_right_answer_passes(id, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.status == "passed", verdict.message


# ---- what a check must not forget to ask


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("19.1", "cancelled"),
        ("19.2", "other_sizes"),
        ("19.3", "other_labels"),
        ("19.3", "padding_by_id"),
        ("19.4", "teacher_learns"),
        ("19.4", "other_loss"),
        ("19.5", "not_independent"),
        ("19.5", "by_text"),
    ],
)
def test_a_trick_fails_for_its_own_reason(id, reason):
    assert exercise(id).judge(WRONG[id][reason]).reason == reason


@pytest.mark.parametrize(("id", "reason", "answer"), TRICKS)
def test_a_further_trick_fails(id, reason, answer):
    assert exercise(id).judge(answer).reason == reason


def test_only_the_example_is_known():
    sizes = {(101, 17, 5, 12, 31, 7): 2297}
    assert exercise("19.2").judge(lambda *given: sizes.get(given, 0)).reason == "other_sizes"
