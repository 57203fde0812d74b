"""ParameterMicroscope at its largest documented input, and keys that move it, for the tests and the benchmark."""

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.widgets import ParameterMicroscope

MOVES = (
    ("heads", "Space"),
    ("part-0", "Enter"),
    ("crumb-0", "Enter"),
)


def largest() -> ParameterMicroscope:
    def tensors(config):
        with torch.device("meta"):
            model = BertForPreTraining(config)
        return [(name.removeprefix("bert."), tuple(p.shape)) for name, p in model.named_parameters()]

    sizes = {name: getattr(BertConfig, name)() for name in ["large", "base", "tiny"]}
    return ParameterMicroscope(sizes, tensors=tensors)
