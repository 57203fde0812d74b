"""Tags by heart: what a word, or a name, was in the training part, it is again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from course_utils.tasks.baselines_common import Baseline, given_examples, most_frequent
from course_utils.tasks.entities import entities
from course_utils.tasks.forms_tags import Names, PartsOfSpeech
from course_utils.tasks.particles import without_particle
from course_utils.tasks.tags import TaggedSentence
from course_utils.tasks.task import Example

OUTSIDE = "O"
NUMBER = re.compile("[0-9]+")
LONGEST_ENDING = 4  # letters


def most_frequent_tag(task: PartsOfSpeech, examples: Sequence[Example]) -> Baseline:
    """Of a word the tag that it has most often in the examples; of an unknown one the tag that is most frequent there.

    Args:
        task: parts of speech.
        examples: see baselines.baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.

    Source: Charniak et al. 1993.
    """
    found = given_examples(task, examples, PartsOfSpeech)
    known, usual = _tags_of(found, lambda word: [word])
    return Baseline(task, lambda source: [known.get(word, usual) for word in source.words])


def tag_by_ending(task: PartsOfSpeech, examples: Sequence[Example]) -> Baseline:
    """As most_frequent_tag; but of an unknown word, the tag that words most often have which end like it.

    In Korean every other word is unknown, and its ending tells more than its stem: 갔는데 is a verb as 먹었는데 is. Of
    its last 4, 3, 2, 1 letters the longest ending is taken that a word of the examples has.

    Args:
        task: parts of speech.
        examples: see baselines.baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.

    Source: Samuelsson 1993 (endings of unknown words), here without smoothing.
    """
    found = given_examples(task, examples, PartsOfSpeech)
    words, usual = _tags_of(found, lambda word: [word])
    endings, _ = _tags_of(found, _endings)

    def tag(word: str) -> str:
        return words.get(word) or next((endings[end] for end in _endings(word) if end in endings), usual)

    return Baseline(task, lambda source: [tag(word) for word in source.words])


def _endings(word: str) -> list[str]:
    """Its last letters, the most of them first."""
    return [word[-length:] for length in range(min(LONGEST_ENDING, len(word)), 0, -1)]


def _tags_of(examples: Sequence[Example], forms: Callable[[str], list[str]]) -> tuple[dict[str, str], str]:
    """The most frequent tag of each form of a word, and that of all words."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    all_words: Counter[str] = Counter()
    for example in examples:
        for word, tag in zip(example.source.words, example.source.tags):
            all_words[tag] += 1
            for form in forms(word):
                tags[form][tag] += 1
    return {form: most_frequent(counted) for form, counted in tags.items()}, most_frequent(all_words)


def name_dictionary(task: Names, examples: Sequence[Example]) -> Baseline:
    """Names that the examples have, where they stand again: as they were written, or with another particle behind.

    From left to right, the longest run of words that is a known name is one, of the kind that it most often had; a run
    that was most often none is none. Numbers are known by their shape: who has seen 3명 knows 17명.

    Args:
        task: names in BIO tags.
        examples: see baselines.baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.
    """
    found = given_examples(task, examples, Names)
    kinds = _counted_names([example.source for example in found])
    known = {key: most_frequent(counted) for key, counted in kinds.items()}
    longest = _longest_of_each_beginning(known)

    def predict(source: TaggedSentence) -> list[str]:
        tags, place, shapes = [], 0, _shapes(source.words)
        while place < len(shapes):
            most = max(longest.get(shape, 0) for shape in shapes[place])
            length, kind = _longest_name(shapes[place : place + most], known)
            tags += [OUTSIDE] if kind == OUTSIDE else [f"B-{kind}"] + [f"I-{kind}"] * (length - 1)
            place += length
        return tags

    return Baseline(task, predict)


Shape = tuple[str, str]
Key = tuple[str, ...]  # the words of a name


def _counted_names(sources: Sequence[TaggedSentence]) -> dict[Key, Counter[str]]:
    """Every name of the sentences -> how often it is of each kind, and how often none, O."""
    places = [{(start, end): kind for kind, start, end in entities(source.tags)} for source in sources]
    written = [_shapes(source.words) for source in sources]
    kinds: dict[Key, Counter[str]] = {
        key: Counter()
        for shapes, names in zip(written, places)
        for start, end in names
        for key in _keys(shapes[start:end])
    }
    longest = _longest_of_each_beginning(kinds)
    for source, shapes, names in zip(sources, written, places):
        for start in range(len(shapes)):
            most = max(longest.get(shape, 0) for shape in shapes[start])
            for end in range(start + 1, min(start + most, len(shapes)) + 1):
                outside = OUTSIDE if set(source.tags[start:end]) == {OUTSIDE} else None
                if kind := names.get((start, end), outside):  # what is part of another name says nothing
                    for key in kinds.keys() & set(_keys(shapes[start:end])):
                        kinds[key][kind] += 1
    return kinds


def _longest_of_each_beginning(names: Iterable[Key]) -> dict[str, int]:
    """The first word of each name -> of how many words the longest is that begins so."""
    longest: dict[str, int] = {}
    for key in names:
        longest[key[0]] = max(longest.get(key[0], 0), len(key))
    return longest


def _longest_name(shapes: Sequence[Shape], known: dict[Key, str]) -> tuple[int, str]:
    """Of how many of these words the name is that begins with the first, and its kind; 1 and O if none does."""
    for length in range(len(shapes), 0, -1):
        for key in _keys(shapes[:length]):
            if known.get(key, OUTSIDE) != OUTSIDE:
                return length, known[key]
    return 1, OUTSIDE


def _shapes(words: Sequence[str]) -> list[Shape]:
    """Each word as it is written, digits as one 0, and the same without its particle."""
    shapes = [NUMBER.sub("0", word) for word in words]
    return [(shape, without_particle(shape)) for shape in shapes]


def _keys(shapes: Sequence[Shape]) -> Iterator[Key]:
    """A run of words as it is written, then without the particle of the last."""
    first = tuple(shape for shape, _ in shapes[:-1])
    for last in dict.fromkeys(shapes[-1]):
        yield (*first, last)
