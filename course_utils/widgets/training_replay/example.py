"""TrainingReplay at its largest documented input, and keys that move it, for the tests and the benchmark."""

import math

from course_utils.widgets import TrainingReplay

MOVES = (
    ("snapshot", "ArrowLeft"),
    ("snapshot", "Home"),
    ("snapshot", "End"),
)


def largest() -> TrainingReplay:
    def fill(snapshot, sentence):
        return [(word, 0.1 + snapshot / 400) for word in ["배", "차", "말", "눈", "밤"]]

    widget = TrainingReplay(steps=20_000, unigram=5.5, fill=fill, sentence="나는 [MASK]를 탔다.")
    with widget.hold_trait_notifications():
        for step in range(10, 20_001, 10):
            widget.add_record(step, mlm_loss=3 + 5 * math.exp(-step / 5000), learning_rate=1e-4)
    for step in range(0, 20_001, 200):
        accuracies = {"held_out_next_accuracy": 0.8, "held_out_not_next_accuracy": 0.2 + step / 40_000}
        widget.add_snapshot(step, held_out_mlm_loss=3 + 5 * math.exp(-step / 5000), **accuracies)
    return widget
