"""ULMFiT's third stage keeps to its table of rates."""

import torch

from course_utils.before import LSTMLanguageModel
from course_utils.contextual.bae_senses import Spotted, tuned

ROWS = [[3, 4, 5, 6, 7], [4, 5], [6, 6, 3], [7, 3], [5, 4, 3, 6]]


def reader():
    return LSTMLanguageModel(11, 5, 2, generator=torch.Generator().manual_seed(0))


def test_a_rate_of_zero_freezes_its_layer_alone():
    start, rates = reader(), torch.zeros(4, 7)
    rates[[1, 3]] = 0.01
    examples = [Spotted(row, 0, number % 4) for number, row in enumerate(ROWS)]
    model = tuned(start, examples, rates, size=2)
    same = [
        torch.equal(one.weight, other.weight)
        if hasattr(one, "weight")
        else torch.equal(one.weight_ih_l0, other.weight_ih_l0)
        for one, other in zip(
            (start.ends.words, *start.lstm.layers), (model.reader.ends.words, *model.reader.lstm.layers)
        )
    ]
    assert same == [True, False, True]
