"""ParityDebugger at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.widgets import ParityDebugger

MOVES = (
    ("layer", "ArrowRight"),
    ("layer", "End"),
    ("layer", "Home"),
)


def largest() -> ParityDebugger:
    def departures(fault, layer):
        first = 49 if fault == "없음" else layer
        return [(f"층 {n}" if n else "임베딩", 0.25 if n >= first else 1.5e-7) for n in range(49)]

    faults = ["없음", *(f"고장 {n}" for n in range(1, 20))]
    return ParityDebugger(departures, faults=faults, layers=48, fault="고장 1")
