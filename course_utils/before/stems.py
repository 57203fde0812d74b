"""Words without their particles, found by counting: 배를, 배가 and 배에서 become one 배.

A run of letters may be cut where its end is a particle that may follow the letter before it (배가, 밤이; never
배이), and where what is left was seen with three different endings or more (none at all is one). So 바다 stays
whole, although 다 may end a sentence: there is no word 바. Of several stems, the one with the most endings wins.

Not here: the endings of verbs (탔다, 타고 and 타는 stay three words), and grammar. 내리는 becomes 내리, like a noun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from course_utils.support.given import list_of_texts

ENDINGS_SEEN = 3  # a stem must have been seen with so many
_VOWEL = """
가 는 를 와 로 랑 나 며 라도 라고 라는 라서 란 야 여서 다 였다 예요 였습니다 와는 와도 로는 로도 로만
"""
_CONSONANT = """
이 은 을 과 으로 이랑 이나 이며 이라도 이라고 이라는 이라서 이란 이야 이어서 이요 이다 이었다 이에요 이었습니다
과는 과도 으로는 으로도 으로만
"""
_ANY = """
의 에 에서 에게 에는 에도 에서는 에서도 에서부터 에게는 에게도 도 만 만은 만이 만을 까지 까지도 부터 부터는 보다
보다는 처럼 마다 조차 마저 밖에 뿐 만큼 쯤 씩 대로 들 들이 들은 들을 들도 들의 들과 들에게 께 께서 께서는 한테 하고
인 인데 이라 일 입니다
"""
_AFTER_VOWEL, _AFTER_CONSONANT, _AFTER_ANY = (frozenset(text.split()) for text in (_VOWEL, _CONSONANT, _ANY))
_AFTER_L = frozenset(["로", "로는", "로도", "로만"])  # ㄹ takes 로, not 으로
_LONGEST = 5
_WORD = re.compile("[0-9A-Za-z가-힣]+")


def split_words(sentence: str) -> list[str]:
    """The runs of letters and digits of a sentence: "배를 탔다." -> ["배를", "탔다"]."""
    return _WORD.findall(sentence)


def learn_stems(sentences: Iterable[str]) -> dict[str, str]:
    """Which word has which stem.

    Args:
        sentences: the text to count in.

    Returns:
        word -> stem for every word of the text; most words are their own stem.
    """
    sentences = list_of_texts("sentences", sentences)
    words = sorted({word for sentence in sentences for word in split_words(sentence)})
    endings: Counter[str] = Counter(words)  # a word without any ending
    for word in words:
        endings.update(_possible_stems(word))
    return {word: _best(word, endings) for word in words}


def cut_sentence(sentence: str, stems: Mapping[str, str]) -> list[str]:
    """The stems of a sentence; a word that was never seen stays whole.

    >>> cut_sentence("배를 탔다.", {"배를": "배"})
    ['배', '탔다']
    """
    return [stems.get(word, word) for word in split_words(sentence)]


def may_end(stem: str, ending: str) -> bool:
    """Whether an ending is a particle that may follow the stem's last letter."""
    if ending in _AFTER_ANY:
        return True
    if not "가" <= stem[-1] <= "힣":
        return ending in _AFTER_VOWEL or ending in _AFTER_CONSONANT  # 3 or KTX does not show its last sound
    final = (ord(stem[-1]) - 0xAC00) % 28  # number of the final consonant, 0: none
    if final == 0:
        return ending in _AFTER_VOWEL
    return ending in _AFTER_CONSONANT or (final == 8 and ending in _AFTER_L)


def _possible_stems(word: str) -> list[str]:
    cuts = range(max(1, len(word) - _LONGEST), len(word))
    return [word[:cut] for cut in cuts if may_end(word[:cut], word[cut:])]


def _best(word: str, endings: Mapping[str, int]) -> str:
    """The stem seen with the most endings; the word itself where it has as many."""
    candidates = [stem for stem in _possible_stems(word) if endings[stem] >= ENDINGS_SEEN]
    return max([word, *candidates], key=lambda stem: endings[stem])
