"""ActivationExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.activations import (
    gelu,
    gelu_derivative,
    gelu_tanh,
    gelu_tanh_derivative,
    relu,
    relu_derivative,
)
from course_utils.widgets import ActivationExplorer

# data-testid of a control, key; each changes the picture.
MOVES = (
    ("handle", "ArrowLeft"),
    ("handle", "Shift+ArrowRight"),
    ("show-1", "Space"),
    ("difference", "Space"),
)


def largest() -> ActivationExplorer:
    curves = [(gelu, gelu_derivative), (gelu_tanh, gelu_tanh_derivative), (relu, relu_derivative)] * 2
    names = ["GELU", "tanh 꼴", "ReLU", "GELU 둘", "tanh 꼴 둘", "ReLU 둘"]
    return ActivationExplorer(dict(zip(names, curves)), difference_of=("GELU", "tanh 꼴"), x=1.0)
