"""What notebook 16 builds by hand: the losses of three heads, and a correlation of ranks."""

import torch
import torch.nn.functional as F

from course_utils.heads.losses import class_loss
from course_utils.tasks import metrics
from tests.scratch.registry import Scratch

NOTEBOOK = "16_fine_tuning"
IGNORED = -100


def class_head(pooled, weight, bias, labels):
    logits = F.linear(pooled, weight, bias)
    return logits, class_loss(logits, labels, "labels")


def tag_loss(logits, labels):
    return class_loss(logits, labels, "labels", ignore=True)


def span_loss(hidden, start, end, first, last):
    logits = F.linear(hidden, torch.stack([start, end]))  # (B, T, 2)
    return (class_loss(logits[..., 0], first, "first") + class_loss(logits[..., 1], last, "last")) / 2


def spearman(x, y):
    return torch.tensor(metrics.spearman(x, y), dtype=torch.float64)


def class_cases(generator):
    for rows, size, count, dtype in ((7, 13, 5, torch.float32), (1, 31, 2, torch.float64)):
        pooled, weight, bias = (
            torch.randn(shape, generator=generator, dtype=dtype)
            for shape in ((rows, size), (count, size), (count,))
        )
        yield pooled, weight, bias, torch.randint(count, (rows,), generator=generator)
        yield 300 * pooled, weight, bias, torch.randint(count, (rows,), generator=generator)


def tag_cases(generator):
    for shape, share in (((3, 11, 7), 0.5), ((1, 5, 2), 1.0), ((2, 3, 13), 0.0)):
        logits = torch.randn(shape, generator=generator, dtype=torch.float64)
        labels = torch.randint(shape[-1], shape[:2], generator=generator)
        kept = torch.rand(shape[:2], generator=generator) < share
        yield 50 * logits, labels.where(kept, torch.tensor(IGNORED))


def span_cases(generator):
    for shape, dtype in (((5, 17, 7), torch.float32), ((1, 3, 31), torch.float64)):
        hidden = torch.randn(shape, generator=generator, dtype=dtype)
        start, end = torch.randn(2, shape[2], generator=generator, dtype=dtype)
        yield hidden, start, end, *torch.randint(shape[1], (2, shape[0]), generator=generator)


def spearman_cases(generator):
    for count in (2, 7, 31):
        x = torch.randint(5, (count,), generator=generator).tolist()  # with equal ones
        yield x, torch.randn(count, generator=generator).tolist()
    yield [3, 3, 3], [1, 2, 4]
    yield [1e-9, 2e-9, 5e9], [5, 2, -1]


ENTRIES = [
    Scratch(NOTEBOOK, "my_class_head", f"{__name__}:class_head", class_cases),
    Scratch(NOTEBOOK, "my_tag_loss", f"{__name__}:tag_loss", tag_cases),
    Scratch(NOTEBOOK, "my_span_loss", f"{__name__}:span_loss", span_cases),
    # Ranks do not move with a small change of a number: there is no gradient.
    Scratch(NOTEBOOK, "my_spearman", f"{__name__}:spearman", spearman_cases, gradients=False),
]
