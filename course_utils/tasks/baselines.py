"""What each task comes to without BERT, by simple means: what a fine-tuned model has to beat.

    every task          majority            always says the same
    reviews, dialect    naive_bayes         counts pieces
    pairs               ngram_cosine        counts runs of letters that both sentences have
    names               name_dictionary     knows the names of the training part
    parts of speech     tag_by_ending       knows the words of the training part, and how words end
    questions           nearest_sentence    shares the most words with the question

`baseline` gives the one of a task. Each is made of the same examples as the model beside it, chooses what is to be
chosen on the validation part, and is measured as the model is. All predict from a record alone.

Letters: K labels, V different pieces, N examples.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from course_utils.tasks.data import Question
from course_utils.tasks.entities import entities
from course_utils.tasks.questions import Questions, threshold_for
from course_utils.tasks.tags import Names, PartsOfSpeech
from course_utils.tasks.task import Example, Task
from course_utils.tasks.texts import ClassTask, Pairs
from course_utils.tasks.words import TaggedSentence, words_of

SMOOTHINGS = (1.0, 0.1, 0.3, 3.0)  # added to every count; of equally good ones the first is taken
SHORTEST, LONGEST = 2, 4  # letters of a run
HIGHEST = 5.0  # score of a pair
OUTSIDE = "O"
DIGITS = re.compile("[0-9]+")
LONGEST_ENDING = 4  # letters
SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
# What asks, and what stands in every question: they say nothing of the matter.
_ASKING = "누구 무엇 언제 어디 어떤 어느 어떻게 얼마 얼마나 몇 왜 무슨 것 수 때"
_PARTICLES = """
은 는 이 가 을 를 의 에 도 만 와 과 랑 로 나 께 야 며 다 인 들
에서 에게 에는 에도 에만 에의 으로 로는 로도 이나 이랑 이며 이다 이란 이라 라고 라는 까지 부터 보다 처럼 마다 조차 마저
밖에 하고 한테 께서 들은 들이 들을 들의 였다 이고 이자
에서는 에서도 에게는 에게서 으로는 으로도 으로서 으로써 로부터 까지는 까지도 부터는 보다는
이라고 이라는 이었다 이지만 입니다 들에게 으로부터 에서부터
"""
ASKING, PARTICLES = frozenset(_ASKING.split()), frozenset(_PARTICLES.split())
LONGEST_PARTICLE = max(map(len, PARTICLES))  # letters


@dataclass(frozen=True)
class Baseline:
    """A way to predict without a network."""

    task: Task  # what it predicts
    # Source of an example -> a label's name, a score, a tag for each word, an answer ("" for none), an ending's place.
    predict_one: Callable[[Any], Any] = field(repr=False)
    settings: dict[str, float] = field(default_factory=dict)  # chosen on the validation part, by name

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        """What it says of each example, in their order."""
        return [self.predict_one(example.source) for example in examples]

    def measure(self, examples: Sequence[Example]) -> dict[str, float]:
        """How good it is, by the task's own measures, the main one first."""
        return self.task.scores(self.predict(examples), [example.source for example in examples])


def baseline(task: Task, examples: Sequence[Example]) -> Baseline:
    """The task's own baseline, from so many examples; see the table above.

    Args:
        task: see load.load_task; those below take one of their own kind.
        examples: of its training part, as the model has them; so below.
    """
    made = {
        ClassTask: naive_bayes,
        Pairs: ngram_cosine,
        Names: name_dictionary,
        PartsOfSpeech: tag_by_ending,
        Questions: nearest_sentence,
    }
    return next(make for form, make in made.items() if isinstance(task, form))(task, examples)


def majority(task: Task, examples: Sequence[Example]) -> Baseline:
    """Always the same: the most frequent label or tag, the mean score, no answer.

    Of names this is O for every word, so no name is found; of pairs, a constant has no correlation with anything: both
    have 0. Of questions it is as good as many questions have no answer.
    """
    if isinstance(task, ClassTask):
        label = _most_frequent(Counter(task.class_of(example) for example in examples))
        return Baseline(task, lambda source: label)
    if isinstance(task, Pairs):
        mean = math.fsum(example.source.score for example in examples) / len(examples)
        return Baseline(task, lambda source: mean)
    if isinstance(task, Questions):
        return Baseline(task, lambda source: "")
    tag = _most_frequent(Counter(tag for example in examples for tag in example.source.tags))
    return Baseline(task, lambda source: [tag] * len(source.words))


def naive_bayes(task: ClassTask, examples: Sequence[Example]) -> Baseline:
    """A bag of words: each different piece of a text speaks for the labels whose examples had it, for itself alone.

        label = argmax_k  log p(k) + Σ over different pieces of log p(piece | k)
        p(piece | k) = (examples of k with the piece + s) / (sum of these counts of k + s·V)
        p(k) = (examples of k + 1) / (N + K)

    The smoothing s is that of SMOOTHINGS with the highest accuracy on the validation part. A piece that was never seen
    says nothing.

    Source: Maron 1961; with each piece counted once a text, Wang and Manning 2012.
    """
    labels = {label: number for number, label in enumerate(task.labels)}
    index: dict[str, int] = {}
    rows = [[index.setdefault(piece, len(index)) for piece in _pieces(task, one.source)] for one in examples]
    counts = torch.zeros(len(index), len(labels), dtype=torch.float64)  # (V, K)
    prior = torch.ones(len(labels), dtype=torch.float64)
    for row, example in zip(rows, examples):
        label = labels[task.class_of(example)]
        counts[row, label] += 1
        prior[label] += 1

    def with_smoothing(smoothing: float) -> Baseline:
        shares = (counts + smoothing).log() - (counts.sum(0) + smoothing * len(index)).log()

        def predict(source: Any) -> str:
            known = [index[piece] for piece in _pieces(task, source) if piece in index]
            return task.labels[int((shares[known].sum(0) + prior.log()).argmax())]

        return Baseline(task, predict, {"smoothing": smoothing})

    made = [with_smoothing(smoothing) for smoothing in SMOOTHINGS]
    validation = task.parts["validation"]
    return max(made, key=lambda one: one.measure(validation)["accuracy"]) if validation else made[0]


def _pieces(task: Task, source: Any) -> list[str]:
    return sorted(set(task.tokenizer.tokenize(source.text)))


def _most_frequent(counts: Mapping[str, int]) -> str:
    """The label with the highest count; of equally frequent ones, the first by letters."""
    return min(counts, key=lambda label: (-counts[label], label))


# --- pairs ------------------------------------------------------------------------------------------------------------


def ngram_cosine(task: Pairs, examples: Sequence[Example]) -> Baseline:
    """Says of a pair 5 times the cosine of its runs of letters; the examples' scores are not looked at.

    Args:
        task: pairs with a score.
        examples: of the training part; how rare a run is, is counted in their sentences.
    """
    cosine = tfidf_cosine([text for one in examples for text in (one.source.first, one.source.second)])
    return Baseline(task, lambda source: HIGHEST * cosine(source.first, source.second))


def tfidf_cosine(texts: Sequence[str]) -> Callable[[str, str], float]:
    """The cosine of two texts' n-grams, n = 2 … 4, each weighted by how often it is there and how rare it is.

        weight(g) = times in the text · (ln((1 + N) / (1 + texts with g)) + 1)
        cosine = Σ_g w(g)·w'(g) / (‖w‖·‖w'‖)

    An n-gram that no text has is the rarest there is. Blanks count as a letter, several as one.

    Args:
        texts: N of them, in which n-grams are counted.

    Returns:
        (first, second) -> 0 … 1; 0 where one of both has no n-gram.

    Source: Spärck Jones 1972; in this form the TfidfVectorizer of scikit-learn.
    """
    if isinstance(texts, str):
        raise ValueError("texts must be a list of texts, got one text: put it in a list")
    seen = Counter(gram for text in texts for gram in set(ngrams(text)))

    def weights(text: str) -> dict[str, float]:
        return {
            gram: times * (math.log((1 + len(texts)) / (1 + seen[gram])) + 1)
            for gram, times in Counter(ngrams(text)).items()
        }

    def cosine(first: str, second: str) -> float:
        one, other = weights(first), weights(second)
        product = math.fsum(weight * other[gram] for gram, weight in one.items() if gram in other)
        return product / (_norm(one.values()) * _norm(other.values())) if product else 0.0

    return cosine


def ngrams(text: str) -> list[str]:
    """Its runs of 2, then of 3, then of 4 letters: "배를 타" -> 배를, "를 ", " 타", "배를 ", "를 타", "배를 타"."""
    plain = " ".join(text.split())
    return [
        plain[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(plain) - length + 1)
    ]


def _norm(weights: Iterable[float]) -> float:
    return math.sqrt(math.fsum(weight * weight for weight in weights))


# --- tags -------------------------------------------------------------------------------------------------------------


def most_frequent_tag(task: PartsOfSpeech, examples: Sequence[Example]) -> Baseline:
    """Of a word the tag that it has most often in the examples; of an unknown one the tag that is most frequent there.

    Source: Charniak et al. 1993.
    """
    known, usual = _tags_of(examples, lambda word: [word])
    return Baseline(task, lambda source: [known.get(word, usual) for word in source.words])


def tag_by_ending(task: PartsOfSpeech, examples: Sequence[Example]) -> Baseline:
    """As most_frequent_tag; but of an unknown word, the tag that words most often have which end like it.

    In Korean every other word is unknown, and its ending tells more than its stem: 갔는데 is a verb as 먹었는데 is. Of
    its last 4, 3, 2, 1 letters the longest ending is taken that a word of the examples has.

    Source: Samuelsson 1993 (endings of unknown words), here without smoothing.
    """
    words, usual = _tags_of(examples, lambda word: [word])
    endings, _ = _tags_of(examples, _endings)

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
    return {form: _most_frequent(counted) for form, counted in tags.items()}, _most_frequent(all_words)


def name_dictionary(task: Names, examples: Sequence[Example]) -> Baseline:
    """Names that the examples have, where they stand again: as they were written, or with another particle behind.

    From left to right, the longest run of words that is a known name is one, of the kind that it most often had; a run
    that was most often none is none. Numbers are known by their shape: who has seen 3명 knows 17명.
    """
    kinds = _counted_names([example.source for example in examples])
    known = {key: _most_frequent(counted) for key, counted in kinds.items()}
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


def _counted_names(sources: Sequence[TaggedSentence]) -> dict[tuple[str, ...], Counter[str]]:
    """Every name of the sentences -> how often it is of each kind, and how often none, O."""
    places = [{(start, end): kind for kind, start, end in entities(source.tags)} for source in sources]
    written = [_shapes(source.words) for source in sources]
    kinds: dict[tuple[str, ...], Counter[str]] = {
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


def _longest_of_each_beginning(names: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """The first word of each name -> of how many words the longest is that begins so."""
    longest: dict[str, int] = {}
    for key in names:
        longest[key[0]] = max(longest.get(key[0], 0), len(key))
    return longest


def _longest_name(shapes: Sequence[tuple[str, str]], known: dict[tuple[str, ...], str]) -> tuple[int, str]:
    """Of how many of these words the name is that begins with the first, and its kind; 1 and O if none does."""
    for length in range(len(shapes), 0, -1):
        for key in _keys(shapes[:length]):
            if known.get(key, OUTSIDE) != OUTSIDE:
                return length, known[key]
    return 1, OUTSIDE


def _shapes(words: Sequence[str]) -> list[tuple[str, str]]:
    """Each word as it is written, digits as one 0, and the same without its particle."""
    shapes = [DIGITS.sub("0", word) for word in words]
    return [(shape, without_particle(shape)) for shape in shapes]


def _keys(shapes: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """A run of words as it is written, then without the particle of the last."""
    first = tuple(shape for shape, _ in shapes[:-1])
    for last in dict.fromkeys(shapes[-1]):
        yield (*first, last)


# --- questions --------------------------------------------------------------------------------------------------------


class Nearest(NamedTuple):
    """A sentence, and the share of the question's content words that it has."""

    sentence: str
    share: float


def nearest_sentence(task: Questions, examples: Sequence[Example]) -> Baseline:
    """Answers with the whole nearest sentence where it shares enough words with the question, and else with nothing.

    The examples are not looked at: nothing is learned. How much is enough, is chosen on the validation part.
    """
    sources = [example.source for example in task.parts["validation"]]
    threshold = threshold_for([nearest(source) for source in sources], sources).value if sources else 0.0

    def predict(source: Question) -> str:
        best = nearest(source)
        return best.sentence if best.share > threshold else ""

    return Baseline(task, predict, {"threshold": threshold})


def nearest(question: Question) -> Nearest:
    """The sentence of its passage with most of the question's content words; of equally many, the first."""
    wanted = content_words(question.question)
    shares = [
        Nearest(sentence, len(wanted & content_words(sentence)) / max(len(wanted), 1))
        for sentence in sentences_of(question.passage)
    ]
    return max(shares, key=lambda one: one.share)


def sentences_of(passage: str) -> list[str]:
    """A passage cut behind . ? and !, where a blank follows."""
    return [sentence for sentence in SENTENCE_END.split(passage.strip()) if sentence] or [""]


def content_words(text: str) -> set[str]:
    """The different words of a text, without their particles, signs, and what only asks."""
    words = {without_particle(word) for _, word in words_of(text) if any(sign.isalnum() for sign in word)}
    return words - ASKING


def without_particle(word: str) -> str:
    """A word less the longest particle of the list that it ends with: 부산에서 -> 부산.

    Good enough to look words up, and no more: it knows no grammar, and cuts 고양이 to 고양. What is left has at least
    two letters, so 나이 and 바다 stay.
    """
    for length in range(min(LONGEST_PARTICLE, len(word) - 2), 0, -1):
        if word[-length:] in PARTICLES:
            return word[:-length]
    return word
