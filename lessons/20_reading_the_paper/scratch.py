"""What notebook 20 builds by hand: counts, the metrics of the paper, and the loss over four endings."""

import torch
import torch.nn.functional as F
from sklearn.metrics import confusion_matrix

from course_utils.tasks import metrics
from course_utils.tasks.answers import normalize_as_squad
from tests.scratch.registry import Scratch

NOTEBOOK = "20_reading_the_paper"


def counts(predictions, references):
    (tn, fp), (fn, tp) = confusion_matrix(references, predictions, labels=[0, 1]).tolist()
    return [tp, fp, fn, tn]


def number(metric):
    def as_tensor(*given):
        return torch.tensor(metric(*given), dtype=torch.float64)

    return as_tensor


f1, matthews, pearson = number(metrics.f1), number(metrics.matthews), number(metrics.pearson)


def span_scores(prediction, answers, normalize=normalize_as_squad):
    both = (
        metric(prediction, answers, normalize=normalize) for metric in (metrics.exact_match, metrics.span_f1)
    )
    return torch.tensor(list(both), dtype=torch.float64)


def choice_loss(vectors, weight, right):
    return F.cross_entropy((vectors * weight).sum(dim=-1), right)


def label_cases(generator):
    for size, share in ((2, 0.5), (7, 0.3), (31, 0.9), (97, 0.1)):
        predicted, actual = (torch.rand(2, size, generator=generator) < share).long().tolist()
        yield predicted, actual
    yield [1, 1, 1], [1, 0, 1]  # one class only
    yield [0, 0], [1, 1]
    yield [0, 0, 0], [0, 0, 0]
    yield [1], [0]


def number_cases(generator):
    for size in (2, 7, 31):
        x = torch.randint(5, (size,), generator=generator).double().tolist()
        yield x, torch.randn(size, generator=generator, dtype=torch.float64).tolist()
    yield [3.0, 3.0, 3.0], [1.0, 2.0, 4.0]
    yield [1.0, 2.0], [5.0, 5.0]


WORDS = ["The", "a", "cat,", "U.S.", "(1990s)", "배를", "-", "cat", "it's", "the"]


def answer_cases(generator):
    for length in (0, 1, 2, 3, 5):
        said, *answers = (
            " ".join(WORDS[place] for place in torch.randint(10, (length,), generator=generator).tolist())
            for _ in range(4)
        )
        yield said, answers
        yield said, answers[:1], str.lower
    yield "cat cat", ["cat", "dog cat cat"]
    yield "", []
    yield "?!", [""]
    yield "cat", []
    yield "", ["?", "cat"]


def choice_cases(generator):
    for groups, choices, size, dtype in (
        (7, 4, 13, torch.float32),
        (1, 5, 31, torch.float64),
        (3, 2, 1, torch.float64),
    ):
        vectors = torch.randn(groups, choices, size, generator=generator, dtype=dtype)
        weight = torch.randn(size, generator=generator, dtype=dtype)
        yield 20 * vectors, weight, torch.randint(choices, (groups,), generator=generator)


ENTRIES = [
    # Counts, and words that are equal or not: there is no gradient. What comes as lists of numbers has none either.
    Scratch(NOTEBOOK, "my_counts", f"{__name__}:counts", label_cases, gradients=False),
    Scratch(NOTEBOOK, "my_f1", f"{__name__}:f1", label_cases, gradients=False),
    Scratch(NOTEBOOK, "my_matthews", f"{__name__}:matthews", label_cases, gradients=False),
    Scratch(NOTEBOOK, "my_pearson", f"{__name__}:pearson", number_cases, gradients=False),
    Scratch(NOTEBOOK, "my_span_scores", f"{__name__}:span_scores", answer_cases, gradients=False),
    Scratch(NOTEBOOK, "my_choice_loss", f"{__name__}:choice_loss", choice_cases),
]
