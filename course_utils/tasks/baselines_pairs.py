"""How alike two sentences are by their letters: the cosine of their runs of 2 to 4 letters, rare ones counting more.

In Korean a run of letters says more than a word does: 배를 and 배가 share no word.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from course_utils.support.given import list_of_texts, one_text
from course_utils.tasks.baselines_common import Baseline, given_examples
from course_utils.tasks.forms_text import Pairs
from course_utils.tasks.task import Example

SHORTEST, LONGEST = 2, 4  # letters of a run
MOST = 5.0  # of a score


def ngram_cosine(task: Pairs, examples: Sequence[Example]) -> Baseline:
    """Says of a pair 5 times the cosine of its runs of letters; the examples' scores are not looked at.

    Args:
        task: pairs with a score.
        examples: of the training part; how rare a run is, is counted in their sentences.

    Raises:
        ValueError: if task is none such, or there is no example of it.
    """
    found = given_examples(task, examples, Pairs)
    cosine = tfidf_cosine([text for one in found for text in (one.source.first, one.source.second)])
    return Baseline(task, lambda source: MOST * cosine(source.first, source.second))


def tfidf_cosine(texts: Sequence[str]) -> Callable[[str, str], float]:
    """The cosine of two texts' n-grams, n = 2 … 4, each weighted by how often it is there and how rare it is.

        weight(g) = times in the text · (ln((1 + N) / (1 + texts with g)) + 1)
        cosine = Σ_g w(g)·w'(g) / (‖w‖·‖w'‖)

    An n-gram that no text has is the rarest there is. Blanks count as a letter, several as one.

    Args:
        texts: N of them, in which n-grams are counted.

    Returns:
        (first, second) -> 0 … 1; 0 where one of both has no n-gram.

    Raises:
        ValueError: if texts are none, or there is none.

    Source: Spärck Jones 1972; in this form the TfidfVectorizer of scikit-learn.
    """
    texts = list_of_texts("texts", texts)
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
    """Its runs of 2, then of 3, then of 4 letters: "배를 타" -> 배를, "를 ", " 타", "배를 ", "를 타", "배를 타".

    Raises:
        ValueError: if text is none.
    """
    plain = " ".join(one_text("text", text).split())
    return [
        plain[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(plain) - length + 1)
    ]


def _norm(weights: Iterable[float]) -> float:
    return math.sqrt(math.fsum(weight * weight for weight in weights))
