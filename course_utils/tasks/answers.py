"""Whether an answer to a question is right: word for word, or by how far the words overlap (Rajpurkar et al. 2016)."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from course_utils.tokenization.normalization import is_punctuation

# An article stands before a word, and not before a Korean one: the A of 비타민 A, and of 혈액형 A형, is none.
_ARTICLE = re.compile(r"\b(a|an|the)\s+(?=[^\W가-힣])")
_ANY_ARTICLE = re.compile(r"\b(a|an|the)\b")
_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text: str) -> str:
    """SQuAD's normalisation in a Korean form: how else an answer may be written and be the same.

    In this order: compose Hangul (NFC), lower case, drop punctuation, drop English articles, squeeze blanks.

    forgiven           「훈민정음」 for 훈민정음 · Bert for BERT · the Beatles for Beatles · 1,446 for 1446
    not forgiven       서울에서 for 서울 · 국립 박물관 for 국립박물관 · 두 명 for 2명 · 30℃ for 30 · 1446년 for 1446
    wrongly forgiven   35 for 3.5 · 5 for -5: without punctuation they are the same, in the original, too

    Korean has particles where English has articles, and they hang on their word: cut off by a rule, 나이 would lose
    its 이 and 바다 its 다. So they stay, and a particle too many costs the exact match and, in span_f1, its whole word.
    The original differs in three ways: it does not compose, it knows the punctuation of ASCII alone, and it drops a,
    an and the wherever they stand: "vitamin A" becomes "vitamin", and of blood group A nothing is left.

    Args:
        text: an answer.

    Returns:
        The words with one blank between them; "" where none is left.

    Source: Rajpurkar et al. 2016, section 6.1, and their evaluation script.
    """
    composed = unicodedata.normalize("NFC", text).lower()
    bare = "".join(sign for sign in composed if not is_punctuation(sign))
    return " ".join(_ARTICLE.sub("", bare).split())


def normalize_as_squad(text: str) -> str:
    """SQuAD's normalisation as its own script does it, for scores that are to be compared with published ones.

    In this order: lower case; drop the 32 punctuation signs of ASCII, so that what stood on both sides grows together;
    put a blank for a, an and the wherever they stand as words; squeeze blanks. The order is part of the metric:
    "the-end" becomes "theend", and articles looked for first would have made it "end".

    Args:
        text: an answer.

    Returns:
        The words with one blank between them; "" where none is left.

    Source: Rajpurkar et al. 2016, the evaluation script of SQuAD 1.1 and 2.0.
    """
    bare = text.lower().translate(_ASCII_PUNCTUATION)
    return " ".join(_ANY_ARTICLE.sub(" ", bare).split())


def exact_match(
    prediction: str, answers: Sequence[str], *, normalize: Callable[[str], str] = normalize_answer
) -> float:
    """1 if the prediction is one of the answers, after normalisation; 0 if it is none.

    Args:
        prediction: what was answered; "" says that there is no answer.
        answers: each of them is right; none, or none but punctuation: the question has no answer.
        normalize: text -> text.

    Returns:
        0.0 or 1.0.

    Source: Rajpurkar et al. 2016, section 6.1; without an answer Rajpurkar et al. 2018.
    """
    said, right = _normalized(prediction, answers, normalize)
    return float(said in right)


def span_f1(
    prediction: str, answers: Sequence[str], *, normalize: Callable[[str], str] = normalize_answer
) -> float:
    """How far the words of the prediction and of the nearest answer overlap.

        S = words in common, each as often as in both        P = S / words predicted        R = S / words of the answer
        F1 = 2·P·R / (P + R) = 2·S / (words predicted + words of the answer)        the best over all answers

    Words are what blanks divide after normalisation; their order does not count. Of no answer, F1 is 1 if both say so
    and else 0. KorQuAD counts characters in place of words, so that a particle costs a little and not the whole word
    (Lim et al. 2019); with normalize=lambda text: " ".join(normalize_answer(text).replace(" ", "")) this does, too.

    Args:
        prediction: what was answered; "" says that there is no answer.
        answers: each of them is right; none, or none but punctuation: the question has no answer.
        normalize: text -> text.

    Returns:
        0 … 1.

    Source: Rajpurkar et al. 2016, section 6.1; without an answer Rajpurkar et al. 2018.
    """
    said, right = _normalized(prediction, answers, normalize)
    return max(_overlap(said.split(), answer.split()) for answer in right)


def _overlap(said: list[str], right: list[str]) -> float:
    """F1 of two bags of words."""
    if not said or not right:
        return float(said == right)
    common = (Counter(said) & Counter(right)).total()
    return 2 * common / (len(said) + len(right))


def _normalized(
    prediction: str, answers: Sequence[str], normalize: Callable[[str], str]
) -> tuple[str, list[str]]:
    """Prediction and answers, normalised; [""] where no answer is left."""
    if isinstance(answers, str):
        raise ValueError(f"answers must be a list of texts, got one text, {answers!r}: put it in a list")
    said, *right = (normalize(text) for text in (prediction, *answers))
    return said, [answer for answer in right if answer] or [""]
