"""The data that the course is fine-tuned on: one reader for each file of data/tasks/, and for data/situations.tsv.

Each gives {"train": […], "validation": […], "test": […]}, in the order of the file, and reads every row: a broken one
is told by the file's name and its row, and nothing is given; so is a column that is missing, as ValueError, and a file
that is not there, as FileNotFoundError. Where the files come from, how they were split and what they must not be used
for: data/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from course_utils.support.given import shown
from course_utils.support.paths import DATA
from course_utils.tasks.rows import Row, json_rows, tsv_rows
from course_utils.tasks.words import TaggedSentence, bio_tags

TASKS = DATA / "tasks"
PARTS = ("train", "validation", "test")
BAD, GOOD = 0, 1
ENDINGS = ("right", "wrong1", "wrong2", "wrong3")
DIALECTS = ("표준어", "경상", "전라", "충청", "강원", "제주")
# The universal parts of speech (de Marneffe et al. 2021).
PARTS_OF_SPEECH = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)

Example = TypeVar("Example")


class LabelledReview(NamedTuple):
    """A film review, and whether it is GOOD or BAD."""

    text: str
    label: int


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


class Situation(NamedTuple):
    """A situation, four endings, and which of them is right."""

    subject: int
    text: str
    endings: tuple[str, ...]
    right: int  # its place among the endings


def read_reviews(path: str | Path = TASKS / "reviews.tsv") -> dict[str, list[LabelledReview]]:
    """Film reviews with GOOD or BAD.

    Args:
        path: columns part, film, label (0 or 1), text.
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
    """
    rows = tsv_rows(path, ("part", "score", "first", "second"))
    return _by_part(
        (row, SentencePair(row.text("first"), row.text("second"), row.number("score", 0, 5))) for row in rows
    )


def read_dialects(path: str | Path = TASKS / "dialect.tsv") -> dict[str, list[DialectSentence]]:
    """Sentences in six ways of Korean.

    Args:
        path: columns thought, part, dialect, sentence, features (apart by "; ", "-" for none).
    """
    return _by_part(
        (row, _dialect(row)) for row in tsv_rows(path, ("thought", "part", "dialect", "sentence", "features"))
    )


def _dialect(row: Row) -> DialectSentence:
    features = row.text("features")
    return DialectSentence(
        row.text("sentence"),
        row.one_of("dialect", DIALECTS),
        row.count("thought"),
        () if features == "-" else tuple(features.split("; ")),
    )


def read_names(path: str | Path = TASKS / "names.jsonl") -> dict[str, list[TaggedSentence]]:
    """Sentences whose words have one of words.NAME_TAGS.

    Args:
        path: objects with id, part, text, names: [[start, letters, kind], …].
    """
    return _by_part((row, _named(row)) for row in json_rows(path))


def _named(row: Row) -> TaggedSentence:
    text, names = row.text("text"), row.value("names", list)
    try:
        return bio_tags(text, names)
    except (TypeError, AttributeError, ValueError) as error:  # names are any JSON
        raise ValueError(f"{row.where}: {error}") from None


def read_parts_of_speech(path: str | Path = TASKS / "parts_of_speech.tsv") -> dict[str, list[TaggedSentence]]:
    """Sentences whose words have one of PARTS_OF_SPEECH; the text is the words with a blank between.

    Args:
        path: columns id, part, words, tags; words and tags apart by blanks, as many of either.
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
            stands = shown(passage[max(start, 0) :][: len(answer)])
            raise ValueError(
                f"{one.where}: {shown(answer)} must stand at character {start} of the passage, and {stands} does"
            )
        yield Question(passage_id, title, passage, question, answer, start)


def read_situations(path: str | Path = DATA / "situations.tsv") -> dict[str, list[Situation]]:
    """Situations with four endings; no subject stands in two parts.

    In the file the right ending comes first. Here the four are sorted by their letters: so whoever takes the first one,
    or the first of equally good ones, is right no more often than by chance.

    Args:
        path: columns subject (a number), part, situation, right, wrong1, wrong2, wrong3.
    """
    found: dict[str, list[Situation]] = {part: [] for part in PARTS}
    parts: dict[int, str] = {}
    for row in tsv_rows(path, ("subject", "part", "situation", *ENDINGS)):
        situation, part = _situation(row), row.one_of("part", PARTS)
        before = parts.setdefault(situation.subject, part)
        if before != part:
            raise ValueError(f"{row.where}: subject {situation.subject} must be in one part, and is in two")
        found[part].append(situation)
    return found


def _situation(row: Row) -> Situation:
    given = [row.text(column) for column in ENDINGS]
    endings = tuple(sorted(given))
    if len(set(endings)) < len(endings):
        raise ValueError(f"{row.where}: the four endings must differ, and two are the same")
    return Situation(row.count("subject"), row.text("situation"), endings, endings.index(given[0]))


def _by_part(rows: Iterable[tuple[Row, Example]]) -> dict[str, list[Example]]:
    found: dict[str, list[Example]] = {part: [] for part in PARTS}
    for row, example in rows:
        found[row.one_of("part", PARTS)].append(example)
    return found
