"""TokenInspector at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.pretrained import load_pretrained
from course_utils.tokenization import WordPieceTokenizer
from course_utils.widgets import TokenInspector

MOVES = (
    ("lowercase", "Space"),
    ("strip_accents", "Space"),
    ("sentence", "a"),
    ("sentence", "Backspace"),
)


def largest() -> TokenInspector:
    _, own = load_pretrained()

    def tokenizer(lowercase, strip_accents):
        return WordPieceTokenizer(own.vocab, lowercase=lowercase, strip_accents=strip_accents)

    sentence = (
        "나는 Café에 들러 배를 탔고 항구에서 사과와 배를 먹었으며 밤에는 눈이 내렸다 또 두 배로 기뻤다."
    )
    return TokenInspector(sentence[:60], tokenizer=tokenizer)
