"""MergeStepper at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.tokenization import BPETrainer, WordPieceTrainer
from course_utils.widgets.merge_stepper.widget import LONGEST_CORPUS, MergeStepper

MOVES = (
    ("next", "Enter"),
    ("step", "ArrowRight"),
    ("last", "Enter"),
    ("first", "Enter"),
)


def largest() -> MergeStepper:
    trainers = {"BPE": BPETrainer(), "WordPiece": WordPieceTrainer(lowercase=False, strip_accents=False)}
    sentence = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 먹었다 "
    sentence += "배에서 내려 배가 아프다 두 배로 아프다 "
    return MergeStepper((sentence * 20)[:LONGEST_CORPUS].strip(), trainers=trainers)
