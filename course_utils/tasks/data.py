"""The data that the course is fine-tuned on: one reader for each file of data/tasks/.

Each gives {"train": […], "validation": […], "test": […]}, in the order of the file, and reads every row: a broken one
is told by the file's name and its row, and nothing is given. Where the files come from, how they were split and what
they must not be used for: data/README.md.

Here a text or a pair has one label; a tag for each word: tags.py, which read_names and read_parts_of_speech use.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from course_utils.support.given import shown
from course_utils.support.paths import DATA
from course_utils.tasks.reviews import BAD, GOOD, LabelledReview
from course_utils.tasks.rows import Row, json_rows, tsv_rows
from course_utils.tasks.tags import TaggedSentence, bio_tags

TASKS = DATA / "tasks"
PARTS = ("train", "validation", "test")
DIALECTS = ("표준어", "경상", "전라", "충청", "강원", "제주")
# The universal parts of speech (de Marneffe et al. 2021).
PARTS_OF_SPEECH = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)

Example = TypeVar("Example")


class SentencePair(NamedTuple):
    """Two sentences and how alike their meanings are, 0 to 5."""

    first: str
    second: str
    score: float


class DialectSentence(NamedTuple):
    """A sentence, the dialect it is written in, the thought that it shares with five others, and its features."""

    text: str
    dialect: str  # one of DIALECTS
    thought: int
    features: tuple[str, ...]  # none of 표준어


class Question(NamedTuple):
    """A question and a passage, which has the answer from character `start` on; or neither."""

    passage_id: str
    title: str
    passage: str
    question: str
    answer: str | None
    start: int | None


def read_reviews(path: str | Path = TASKS / "reviews.tsv") -> dict[str, list[LabelledReview]]:
    """Film reviews with GOOD or BAD.

    Args:
        path: columns part, film, label (0 or 1), text.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, a column is missing, or a row broken.
    """
    labels = {str(label): label for label in (BAD, GOOD)}
    rows = tsv_rows(path, ("part", "film", "label", "text"))
    return _by_part(
        (row, LabelledReview(row.text("text"), labels[row.one_of("label", tuple(labels))])) for row in rows
    )


def read_pairs(path: str | Path = TASKS / "pairs.tsv") -> dict[str, list[SentencePair]]:
    """Pairs of sentences with a similarity.

    Args:
        path: columns part, score (0 to 5), first, second.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, a column is missing, or a row broken.
    """
    rows = tsv_rows(path, ("part", "score", "first", "second"))
    return _by_part(
        (row, SentencePair(row.text("first"), row.text("second"), row.number("score", 0, 5))) for row in rows
    )


def read_dialects(path: str | Path = TASKS / "dialect.tsv") -> dict[str, list[DialectSentence]]:
    """Sentences in six ways of Korean.

    Args:
        path: columns thought, part, dialect, sentence, features (apart by "; ", "-" for none).

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, a column is missing, or a row broken.
    """
    return _by_part(
        (row, _dialect(row)) for row in tsv_rows(path, ("thought", "part", "dialect", "sentence", "features"))
    )


def _dialect(row: Row) -> DialectSentence:
    thought, features = row.text("thought"), row.text("features")
    if not (thought.isascii() and thought.isdigit() and len(thought) < 10):
        raise row.bad("thought", "a number", thought)
    return DialectSentence(
        row.text("sentence"),
        row.one_of("dialect", DIALECTS),
        int(thought),
        () if features == "-" else tuple(features.split("; ")),
    )


def read_names(path: str | Path = TASKS / "names.jsonl") -> dict[str, list[TaggedSentence]]:
    """Sentences whose words have one of tags.NAME_TAGS.

    Args:
        path: objects with id, part, text, names: [[start, letters, kind], …].

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, or a row broken: a name of an unknown kind, or that does not stand at its place.
    """
    return _by_part((row, _named(row)) for row in json_rows(path))


def _named(row: Row) -> TaggedSentence:
    names = [tuple(name) if isinstance(name, list) else name for name in row.value("names", list)]
    text = row.text("text")
    try:
        return bio_tags(text, names)
    except ValueError as error:
        raise ValueError(f"{row.where}: {error}") from None


def read_parts_of_speech(path: str | Path = TASKS / "parts_of_speech.tsv") -> dict[str, list[TaggedSentence]]:
    """Sentences whose words have one of PARTS_OF_SPEECH; the text is the words with a blank between.

    Args:
        path: columns id, part, words, tags; words and tags apart by blanks, as many of either.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, a column is missing, or a row broken.
    """
    return _by_part((row, _tagged(row)) for row in tsv_rows(path, ("id", "part", "words", "tags")))


def _tagged(row: Row) -> TaggedSentence:
    text = row.text("words")
    words, tags = tuple(text.split(" ")), tuple(row.text("tags").split(" "))
    if "" in words:
        raise ValueError(f"{row.where}: words must be apart by one blank, got two, or one at an end")
    if len(tags) != len(words):
        raise ValueError(f"{row.where}: there must be a tag for each of {len(words)} words, got {len(tags)}")
    if unknown := [tag for tag in tags if tag not in PARTS_OF_SPEECH]:
        raise ValueError(f"{row.where}: tags must be of {' '.join(PARTS_OF_SPEECH)}, got {shown(unknown[0])}")
    starts = [0]
    for word in words[:-1]:
        starts.append(starts[-1] + len(word) + 1)
    return TaggedSentence(text, words, tuple(starts), tags)


def read_questions(path: str | Path = TASKS / "questions.jsonl") -> dict[str, list[Question]]:
    """Questions about passages, one after the other; those of one passage are all in one part.

    Args:
        path: objects with id, part, title, passage, questions: [{question, answer, start} or {question, answer: null}].

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, or a row broken: an answer, above all, that does not stand at its place.
    """
    return _by_part((row, question) for row in json_rows(path) for question in _questions(row))


def _questions(row: Row) -> Iterable[Question]:
    passage_id, title, passage = row.text("id"), row.text("title"), row.text("passage")
    for number, content in enumerate(row.value("questions", list), 1):
        if not isinstance(content, dict):
            raise row.bad(f"question {number}", "an object", content)
        one = Row(content, f"{row.where}, question {number}")
        question = one.text("question")
        if content.get("answer", "") is None:
            yield Question(passage_id, title, passage, question, None, None)
            continue
        answer, start = one.text("answer"), one.value("start", int)
        if start < 0 or not passage.startswith(answer, start):
            stands = shown(passage[start : start + len(answer)]) if 0 <= start < len(passage) else ""
            raise ValueError(
                f"{one.where}: {shown(answer)} must stand at character {shown(start)} of the passage, "
                f"and {f'{stands} does' if stands else 'does not'}"
            )
        yield Question(passage_id, title, passage, question, answer, start)


def _by_part(rows: Iterable[tuple[Row, Example]]) -> dict[str, list[Example]]:
    """Examples by the part that their rows name."""
    found: dict[str, list[Example]] = {part: [] for part in PARTS}
    for row, example in rows:
        found[row.one_of("part", PARTS)].append(example)
    return found
