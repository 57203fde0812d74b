"""OptimizerRace at its largest documented input, and keys that move it, for the tests and the benchmark."""

from torch.optim import SGD, Adam, RAdam

from course_utils.widgets import OptimizerRace
from course_utils.widgets.optimizer_race.racing import race_of

MOVES = (
    ("step", "ArrowLeft"),
    ("rate", "ArrowRight"),
    ("surface", "ArrowDown"),
    ("warmup", "ArrowRight"),
    ("noise", "ArrowRight"),
    ("seed", "Enter"),
    ("step", "PageDown"),
    ("show-0", "Space"),
    ("step", "ArrowRight"),
)


def largest() -> OptimizerRace:
    race = race_of(
        {
            "SGD": lambda weights, rate: SGD(weights, lr=rate),
            "모멘텀": lambda weights, rate: SGD(weights, lr=rate, momentum=0.9),
            "Adam": lambda weights, rate: Adam(weights, lr=rate),
            "RAdam": lambda weights, rate: RAdam(weights, lr=rate),
        }
    )
    return OptimizerRace(race)
