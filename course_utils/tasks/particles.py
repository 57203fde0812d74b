"""A word without the particle that hangs on it, by a list: 부산에서 -> 부산.

Good enough to look words up, and no more: it knows no grammar, and cuts 고양이 to 고양. What is left has at least two
letters, so 나이 and 바다 stay.
"""

from __future__ import annotations

from course_utils.support.given import one_text

_LIST = """
은 는 이 가 을 를 의 에 도 만 와 과 랑 로 나 께 야 며 다 인 들
에서 에게 에는 에도 에만 에의 으로 로는 로도 이나 이랑 이며 이다 이란 이라 라고 라는 까지 부터 보다 처럼 마다 조차 마저
밖에 하고 한테 께서 들은 들이 들을 들의 였다 이고 이자
에서는 에서도 에게는 에게서 으로는 으로도 으로서 으로써 로부터 까지는 까지도 부터는 보다는
이라고 이라는 이었다 이지만 입니다 들에게 으로부터 에서부터
"""
PARTICLES = frozenset(_LIST.split())
LONGEST = max(map(len, PARTICLES))  # letters
LEAST = 2  # letters of what is left


def without_particle(word: str) -> str:
    """A word less the longest particle of the list that it ends with; the word itself, where it ends with none.

    Args:
        word: one word, as it is written.

    Raises:
        ValueError: if it is no text.
    """
    one_text("word", word)
    for length in range(min(LONGEST, len(word) - LEAST), 0, -1):
        if word[-length:] in PARTICLES:
            return word[:-length]
    return word
