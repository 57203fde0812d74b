"""A tokenizer whose pieces are known, and random strings, for the tests of rows and spans."""

import random

from course_utils.tokenization import WordPieceTokenizer
from tests.small import tokenizer_of

PIECES = [*"그배.?", "##는", "부산", "##에서", "부산에서", "떠났다", "어디", "서울", "##이", "##다"]
SYLLABLES = "가나배를에서울부산은는이다떠났왔힣뷁"
OTHERS = [" ", " ", " ", ".", "?", "(", "Ab", "é", "梨", "3", "\u200b", "\t", "\u1107\u1162", "😀", "[MASK]"]


def tokenizer(*left_out: str) -> WordPieceTokenizer:
    return tokenizer_of(piece for piece in PIECES if piece not in left_out)


def by_syllables() -> WordPieceTokenizer:
    """Every syllable a piece, and some pairs; 뷁, 😀 and others are [UNK]."""
    alone = [*SYLLABLES.replace("뷁", ""), *"Ab.?(3", "é", "梨", "서울", "부산", "\u1107"]
    return tokenizer_of([*alone, *(f"##{piece}" for piece in alone), "##\u1162", "##에서"])


def random_texts(number: int, seed: int) -> list[str]:
    """Syllables, blanks, signs, what is dropped and what is unknown, 1 to 40 of them."""
    drawn = random.Random(seed)
    signs = [*SYLLABLES, *SYLLABLES, *OTHERS]
    return ["배" + "".join(drawn.choices(signs, k=drawn.randrange(40))) for _ in range(number)]
