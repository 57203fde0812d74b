"""What notebook 12 builds by hand: which tokens are chosen, whole words, 80-10-10."""

import torch

from course_utils.datasets import pretraining
from tests.scratch.registry import Scratch

NOTEBOOK = "12_pretraining_objectives"
DRAWS = torch.default_generator  # the registry seeds it before each call: both draw the same


def choose(can_choose, generator, rate):
    return pretraining.choose_tokens(can_choose, generator=generator, rate=rate)


def choose_words(can_choose, continues, generator, rate):
    return pretraining.choose_words(can_choose, continues, generator=generator, rate=rate)


def corrupt(input_ids, chosen, mask_id, first_id, vocab_size, generator):
    limits = {"mask_id": mask_id, "first_id": first_id, "vocab_size": vocab_size}
    return pretraining.corrupt(input_ids, chosen, **limits, generator=generator)


def flags(generator, share, *shape):
    return torch.rand(shape, generator=generator) < share


def choose_cases(generator):
    for shape, share, rate in (
        ((7, 13), 0.8, 0.15),
        ((1, 1), 1.0, 0.99),
        ((3, 5), 0.0, 0.5),
        ((101, 31), 0.9, 0.4),
    ):
        yield flags(generator, share, *shape), DRAWS, rate


def words_cases(generator):
    for can_choose, draws, rate in choose_cases(generator):
        for share in (0.5, 0.0, 0.9):
            yield can_choose, flags(generator, share, *can_choose.shape), draws, rate
    everything = torch.ones(5, 11, dtype=torch.bool)
    yield everything, everything, DRAWS, 0.5  # a row that begins inside a word


def corrupt_cases(generator):
    for shape, first_id, vocab_size in (
        ((7, 13), 5, 101),
        ((53, 31), 5, 7),
        ((1, 1), 0, 1),
        ((3, 5), 17, 19),
    ):
        input_ids = torch.randint(vocab_size, shape, generator=generator)
        for share in (0.15, 1.0, 0.0):
            yield input_ids, flags(generator, share, *shape), 4, first_id, vocab_size, DRAWS


def drawn(name, reference, cases):
    return Scratch(NOTEBOOK, name, f"{__name__}:{reference}", cases, gradients=False)  # no float goes in


ENTRIES = [
    drawn("my_choose", "choose", choose_cases),
    drawn("my_corrupt", "corrupt", corrupt_cases),
    drawn("my_choose_words", "choose_words", words_cases),
]
