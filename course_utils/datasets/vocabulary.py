"""A Korean WordPiece vocabulary that keeps the course's homonyms apart from their particles.

Learned by counts alone, 배를, 배가 and 배에서 would each be one piece, and 배 would have as many first-layer vectors as
it has particles. So pieces that glue a homonym to a particle are left out: longest match then gives 배 | ##를.
"""

from __future__ import annotations

from collections.abc import Sequence

from course_utils.datasets.corpus import HOMONYMS
from course_utils.support.given import list_of_texts, whole_number
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.fast import fast_wordpiece, train_fast_wordpiece
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.tokenization.wordpiece import UNKNOWN

ALPHABET = 1600  # characters kept, the most frequent ones
# Of the pieces of the text itself: 2000 pieces leave 0.5 % of the course's own corpus unknown, 1000 leave 5.1 %.
MOST_UNKNOWN = 0.05
SAMPLE = 1000  # sentences to see that by
_PARTICLES = (
    "가 이 은 는 을 를 의 에 에서 에게 에는 에도 에서는 로 으로 로는 으로는 로도 으로도 와 과 랑 이랑 도 만 까지 부터 "
    "보다 처럼 마다 나 이나 라도 이라도 라고 이라고 란 이란 라는 이라는 야 이야 요 이요 다 이다 "
    "였다 이었다 입니다 였습니다 이었습니다 예요 이에요 인 인데 이며 이고 "
    "이든 든 조차 마저 밖에 뿐 만큼 쯤 들 들이 들을 들은 들도 에선 께 한테 하고"
)
PARTICLES = frozenset(_PARTICLES.split())


def train_vocabulary(sentences: Sequence[str], size: int) -> WordPieceTokenizer:
    """Learn pieces by counts, without those that are a homonym and a particle in one.

    Args:
        sentences: the text to learn from; cased, accents kept (stripping them breaks Hangul).
        size: number of pieces, special tokens included; fewer if the text yields no more.
    """
    sentences = list_of_texts("sentences", sentences)
    size = whole_number("vocab_size", size, least=len(SPECIAL_TOKENS) + 2)
    learned = train_fast_wordpiece(
        sentences, size + 500, lowercase=False, strip_accents=False, limit_alphabet=min(ALPHABET, size // 2)
    )
    whole = [word for word in HOMONYMS if word not in learned.vocab]
    kept = [piece for piece in learned.vocab if not is_glued(piece)]
    kept = [*kept[: len(SPECIAL_TOKENS)], *whole, *kept[len(SPECIAL_TOKENS) :]][:size]
    tokenizer = WordPieceTokenizer(
        {piece: number for number, piece in enumerate(kept)}, lowercase=False, strip_accents=False
    )
    _check_size(size, sentences, tokenizer)
    return tokenizer


def _check_size(size: int, sentences: Sequence[str], tokenizer: WordPieceTokenizer) -> None:
    """ValueError if so small a vocabulary cannot write the text it was learned from."""
    characters = {character for sentence in sentences for character in "".join(sentence.split())}
    # Each character alone and inside a word, the special tokens, the course's homonyms.
    enough = 2 * min(len(characters), ALPHABET) + len(SPECIAL_TOKENS) + len(HOMONYMS)
    if size < enough and (unknown := unknown_share(sentences, tokenizer)) > MOST_UNKNOWN:
        raise ValueError(
            f"vocab_size must be at least {enough} for the {len(characters)} different characters of this text, got "
            f"{size}, which leaves {unknown:.0%} of it unknown ({UNKNOWN})"
        )


def unknown_share(sentences: Sequence[str], tokenizer: WordPieceTokenizer) -> float:
    """The share of [UNK] among the pieces of some of the sentences, 0 … 1; 1 where there is no piece at all."""
    some = sentences[:: 1 + len(sentences) // SAMPLE]
    encoded = fast_wordpiece(tokenizer).encode_batch(some, add_special_tokens=False)
    pieces = [piece for encoding in encoded for piece in encoding.tokens]
    return pieces.count("[UNK]") / len(pieces) if pieces else 1.0


def is_glued(piece: str) -> bool:
    """Whether a piece is a homonym with a particle.

    >>> is_glued("배를"), is_glued("배"), is_glued("배우")
    (True, False, False)
    """
    return any(piece.startswith(word) and piece[len(word) :] in PARTICLES for word in HOMONYMS)
