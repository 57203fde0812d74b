"""What notebook 01 builds by hand: the loss of one centre, and the n-grams of a word."""

import torch

from course_utils.before.word2vec import negative_sampling_loss
from tests.scratch.registry import Scratch

NOTEBOOK = "01_words_without_context"


def loss_of_one(centre, context, negatives):
    """The package's loss, which takes a batch, for a batch of one."""
    return negative_sampling_loss(centre[None], context[None], negatives[None])[0]


def loss_cases(generator):
    for size, count, dtype in ((7, 5, torch.float32), (13, 1, torch.float64), (1, 11, torch.float64)):
        yield tuple(
            2 * torch.randn(shape, generator=generator, dtype=dtype)
            for shape in ((size,), (size,), (count, size))
        )
    far = torch.full((3,), 20.0, dtype=torch.float64)  # where log(sigmoid(x)) would be log(0)
    yield far, -far, far[None]


def word_cases(generator):
    for word in ("배", "배편", "뱃멀미", "아아아", "배배배배", "KTX", "가나다라마바사"):
        yield (word,)


ENTRIES = [
    Scratch(NOTEBOOK, "my_loss", f"{__name__}:loss_of_one", loss_cases),
    # Strings have no gradient.
    Scratch(NOTEBOOK, "my_ngrams", "course_utils.before.subword:ngrams", word_cases, gradients=False),
]
