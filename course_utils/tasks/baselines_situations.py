"""Which ending, without BERT: the longest, the shortest, the one that shares most with the situation.

Each is right in one of four where nothing but the ending is looked at, by the making of the data; see situations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from course_utils.tasks.baselines_common import Baseline, given_examples
from course_utils.tasks.baselines_pairs import tfidf_cosine
from course_utils.tasks.baselines_questions import content_words
from course_utils.tasks.situations import Situation, Situations
from course_utils.tasks.task import Example


def longest_ending(task: Situations, examples: Sequence[Example]) -> Baseline:
    """The ending of most letters; of equally long ones, the first. The examples are not looked at.

    Args:
        task: situations.
        examples: see baselines.baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.
    """
    return _best(task, examples, lambda situation, ending: len(ending))


def shortest_ending(task: Situations, examples: Sequence[Example]) -> Baseline:
    """The ending of fewest letters; of equally short ones, the first.

    Args:
        task, examples: see longest_ending.

    Raises:
        ValueError: as longest_ending.
    """
    return _best(task, examples, lambda situation, ending: -len(ending))


def most_words_in_common(task: Situations, examples: Sequence[Example]) -> Baseline:
    """The ending that shares most words with the situation, particles aside; of equally many, the first.

    Args:
        task, examples: see longest_ending.

    Raises:
        ValueError: as longest_ending.
    """
    return _best(
        task, examples, lambda situation, ending: len(content_words(situation) & content_words(ending))
    )


def most_letters_in_common(task: Situations, examples: Sequence[Example]) -> Baseline:
    """The ending with the highest cosine of runs of letters to the situation; see baselines_pairs.tfidf_cosine.

    Args:
        task: situations.
        examples: of the training part; how rare a run is, is counted in their situations and endings.

    Raises:
        ValueError: as longest_ending.
    """
    found = given_examples(task, examples, Situations)
    return _best(
        task,
        found,
        tfidf_cosine([text for one in found for text in (one.source.text, *one.source.endings)]),
    )


def _best(task: Situations, examples: Sequence[Example], score: Callable[[str, str], float]) -> Baseline:
    """The ending with the highest score(situation, ending); of equal ones, the first."""
    given_examples(task, examples, Situations)

    def predict(source: Situation) -> int:
        return max(range(len(source.endings)), key=lambda place: score(source.text, source.endings[place]))

    return Baseline(task, predict)
