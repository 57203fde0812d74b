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

MOVES = (
    ("handle", "ArrowLeft"),
    ("handle", "Shift+ArrowRight"),
    ("show-1", "Space"),
    ("difference", "Space"),
    ("view", "ArrowDown"),
    ("flips", "ArrowRight"),
    ("roll", "Enter"),
    ("handle", "ArrowLeft"),
    ("view", "ArrowDown"),
    ("mean", "ArrowLeft"),
    ("spread", "ArrowRight"),
    ("handle", "Shift+ArrowLeft"),
    ("view", "ArrowDown"),
    ("step", "ArrowRight"),
    ("handle", "Shift+ArrowRight"),
)


def largest() -> ActivationExplorer:
    curves = [(gelu, gelu_derivative), (gelu_tanh, gelu_tanh_derivative), (relu, relu_derivative)] * 2
    names = ["GELU", "tanh 꼴", "ReLU", "GELU 둘", "tanh 꼴 둘", "ReLU 둘"]
    steps = range(2001)
    runs = {
        f"{name}, 0.03": (
            [960 * place * step / (6 * (step + 20)) for step in steps],
            [1 / (1 + step * place) for step in steps],
        )
        for place, name in enumerate(names, start=1)
    }
    return ActivationExplorer(
        dict(zip(names, curves)), difference_of=("GELU", "tanh 꼴"), x=1.0, runs=runs, units=960
    )
