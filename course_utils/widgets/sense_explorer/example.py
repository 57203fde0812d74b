"""SenseExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.contextual.explored import explored
from course_utils.pretrained import load_pretrained
from course_utils.widgets import SenseExplorer

MOVES = (
    ("sentence", "a"),
    ("sentence", "Backspace"),
)


def largest() -> SenseExplorer:
    sentence = "나는 어제 오후에 먼 항구에 들러 큰 배를 타고 섬에 가서 사과와 밤과 감을 많이 먹고 "
    sentence += "저녁에 다시 돌아왔으며, 이튿날 아침에는 친구와 함께 바닷가를 걷다가 "
    sentence += "갈매기 떼를 보고 사진을 여러 장 찍었다."
    return SenseExplorer(sentence, **explored(*load_pretrained("course-bert-senses")))
