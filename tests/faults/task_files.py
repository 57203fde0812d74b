"""The data of the tasks: their files, words and names."""

from __future__ import annotations

from course_utils.tasks import data, tags
from tests.faults.registry import case
from tests.faults.strategies import Kept

for read, name in {
    data.read_reviews: "reviews.tsv",
    data.read_pairs: "pairs.tsv",
    data.read_dialects: "dialect.tsv",
    data.read_names: "names.jsonl",
    data.read_parts_of_speech: "parts_of_speech.tsv",
    data.read_questions: "questions.jsonl",
}.items():
    case(read, lambda name=name: {"path": str(data.TASKS / name)}, few=True)
case(tags.words_of, lambda: {"text": "김씨는 부산에서 왔다."})
case(
    tags.bio_tags,
    lambda: {"text": "김씨는 부산에서 왔다.", "names": [(0, "김", "PS"), (4, "부산", "LC")]},
)
case(
    tags.bio_tags, lambda: {"text": Kept("김씨는 부산에서 왔다."), "names": [(0, "김", "PS")]}, part="#names"
)
