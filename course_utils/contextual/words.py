"""Where a word stands in a sentence: by itself or with its particles, not inside another word.

배, 배를, 배에서도 and 배였다 hold the word 배; 배추, 담배, 배우다 and 뱃멀미 merely hold its syllable. What follows the
word, up to the next blank or sign, must be particles or forms of 이다 that can follow its last letter (배가, 밤이;
never 배이). A number may stand right before 배 (3배). The rule knows no other grammar: 차도 ("tea, too", or
"roadway") counts as 차 + 도, and 차고 ("and cold", or "garage") as 차 + 고.
"""

from __future__ import annotations

import re
from functools import cache

from course_utils.support.given import JAMO, composed, one_line

# What may follow the last letter of a word, by that letter. Each may itself be followed by nothing.
_AFTER_VOWEL = (
    "가|는|를|와|와는|와도|와의|로|로는|로도|로만|로부터|로서|로서의|로써|랑|랑은|나|나마|란|야|야말로|요|는요|는커녕|"
    # 이다 without its 이
    "다|라|라고|라는|라니|라도|라며|라면|라서|라야|라기보다|였[가-힣]*|예요|여서|여야|든|든지|고|고는|며|죠|지|지만|니|니까|"
    "네요|냐고|냐며|잖아요|겠지요"
)
_AFTER_CONSONANT = (
    "이|은|을|과|과는|과도|과의|이랑|이나|이나마|이란|이야|이야말로|이요|은요|은커녕|이었[가-힣]*|"
    "이에요|이어서|이어야|이어도|이든|이든지"
)
_NOT_AFTER_L = "으로|으로는|으로도|으로만|으로부터|으로서|으로서의|으로써"  # ㄹ takes 로 instead
_AFTER_L = "로|로는|로도|로만|로부터|로서|로서의|로써"
_AFTER_ANY = (
    "의|에|에서|에게|에게도|에다|에는|에도|에만|에까지|에서는|에서도|에서만|에서부터|에서의|도|만|만은|만이|만을|만의|만으로|만으로는|"
    "만큼|만큼은|까지|까지도|까지는|까지만|부터|부터는|보다|보다는|보다도|처럼|처럼은|마다|조차|마저|밖에|뿐|뿐만|뿐이다|뿐이었다|뿐이라고|뿐인|"
    "쯤|쯤은|쯤으로|쯤이다|씩|짜리|짜리를|치고|치고는|대로|끼리|들|들이|들은|들을|들도|들의|께|께서|한테|하고|하고는|하고만|"
    "인|인데|인데도|인지|인지도|인가|인가요|일|일까|일수록|임|임을|입니다|입니까"
)
# 이다 with its 이: after a consonant (밤이지만), and written out after a vowel (배이지만).
_COPULA = (
    "이다|이며|이고|이고는|이자|이지|이지만|이니|이니까|이라|이라고|이라는|이라니|이라도|이라며|이라면|이라서|이라야|이라기보다|이면|이므로|"
    "이죠|이냐|이냐고|이냐며|이란다"
)
_NO_COPULA = ("차",)  # 차이 is another word: difference
_LIGHT_VERB = (
    "하[가-힣]*|해|해[가-힣]+|했[가-힣]+|한|한다|할|할게|할게요|함|합니다|합니까|됐[가-힣]*|"
    "되[가-힣]*|드[가-힣]+|드립니다"
)
_ACTIONS = ("사과", "말")  # 사과하다, 말하다: still the apology, still the speech
_COUNTED = ("배",)  # 3배: a number may stand right before it

_WORD = re.compile(r"[0-9A-Za-z가-힣]+")
_CHARACTER = re.compile(f"{JAMO}|.", re.DOTALL)  # as it is composed

_MESSAGES = {
    "absent": "{word} does not stand in the sentence: {sentence}",
    "inside": "{word} is here only part of another word ({inside}); write a sentence in which it stands by itself or "
    "with a particle",
    "too_few": "{word} stands {found} time(s) in the sentence; occurrence must lie in 0 … {last}, got {occurrence}",
    "unread": "the model does not read {word} here: its vocabulary has no pieces for {inside}, which becomes [UNK]; "
    "write {word} apart from signs that the vocabulary lacks",
}


class WordNotFound(ValueError):
    """The word does not stand in the sentence by itself, or the model cannot read it there.

    Attributes:
        reason: "absent", "inside" (only as a part of other words), "too_few" (not so often) or "unread" (it is part of
            an [UNK]), for whoever wants to say it in another language.
        facts: what the sentence needs: word and sentence always; inside (those words, with commas) for "inside" and
            "unread"; found (how often), last and occurrence for "too_few".
    """

    def __init__(self, reason: str, **facts: str | int) -> None:
        written = {name: one_line(str(fact), 100) for name, fact in facts.items()}
        super().__init__(_MESSAGES[reason].format(**written))
        self.reason = reason
        self.facts = facts


def occurrences(sentence: str, word: str) -> list[tuple[int, int]]:
    """Every place where a word stands by itself or with its particles.

    >>> occurrences("배를 타고 배추를 샀다", "배")
    [(0, 1)]

    Args:
        sentence: any text.
        word: a noun in Hangul.

    Returns:
        (start, end) of the bare word, in characters of the sentence as it is given, composed or not.
    """
    if not word.strip():
        raise ValueError("a word to look for is needed; it is empty")
    word, plain = composed(word), composed(sentence)
    if word not in plain:  # most sentences of a corpus
        return []
    whole = _pattern(word)
    found = [(run.start(), whole.fullmatch(run.group())) for run in _WORD.finditer(plain)]
    places = [character.start() for character in _CHARACTER.finditer(sentence)] + [len(sentence)]
    return [
        (places[start + match.start("word")], places[start + match.end("word")])
        for start, match in found
        if match
    ]


def find_word(sentence: str, word: str, *, occurrence: int = 0) -> tuple[int, int]:
    """The place of one occurrence of a word.

    Args:
        sentence: any text.
        word: a noun in Hangul.
        occurrence: which one, from 0, where it stands more than once.

    Returns:
        (start, end) of the bare word, as occurrences gives it. WordNotFound if it does not stand there by itself.
    """
    if not sentence.strip() or not word.strip():
        raise ValueError(
            "a sentence with at least one word, and a word to look for, are needed; one is empty"
        )
    found = occurrences(sentence, word)
    if occurrence in range(len(found)):
        return found[occurrence]
    word, sentence = composed(word), composed(sentence).strip()
    facts = {"word": word, "sentence": sentence}
    if found:
        raise WordNotFound("too_few", **facts, found=len(found), last=len(found) - 1, occurrence=occurrence)
    forms = (word, _before_another(word))
    inside = [run for run in _WORD.findall(sentence) if any(form in run for form in forms)]
    if inside:
        raise WordNotFound("inside", **facts, inside=", ".join(inside))
    raise WordNotFound("absent", **facts)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """A whole run of letters and digits that is the word, with what may stand around it."""
    final = _final(word[-1])
    if final == 0:
        endings = [_AFTER_VOWEL, *([] if word in _NO_COPULA else [_COPULA])]
    else:
        endings = [_AFTER_CONSONANT, _COPULA, _AFTER_L if final == _FINAL_L else _NOT_AFTER_L]
    if word in _ACTIONS:
        endings.append(_LIGHT_VERB)
    number = "[0-9]*" if word in _COUNTED else ""
    return re.compile(f"{number}(?P<word>{re.escape(word)})(?:{'|'.join(['', _AFTER_ANY, *endings])})")


_FINAL_L, _FINAL_S = 8, 19  # ㄹ and ㅅ among Unicode's 28 final consonants, of which 0 is none


def _final(letter: str) -> int:
    """The number of a syllable's final consonant; 0 for none, and for what is no syllable."""
    return (ord(letter) - ord("가")) % 28 if "가" <= letter <= "힣" else 0


def _before_another(word: str) -> str:
    """The word as it begins a compound, with 사이시옷: 배 -> 뱃 (뱃멀미). Unchanged if it ends in a consonant."""
    if _final(word[-1]) or not "가" <= word[-1] <= "힣":
        return word
    return word[:-1] + chr(ord(word[-1]) + _FINAL_S)
