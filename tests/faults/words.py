"""Texts, words and their pieces: tokenization, what came before BERT, words in sentences."""

from __future__ import annotations

import datetime

from course_utils import before, contextual, tokenization
from course_utils.before.subword import ngrams
from course_utils.datasets import date_pairs, date_tokens, dates
from course_utils.interpretation import shuffled_words
from course_utils.tokenization import fast
from course_utils.tokenization.byte_bpe import byte_symbols
from course_utils.tokenization.hangul import to_jamo
from course_utils.tokenization.normalization import normalized_text
from course_utils.tokenization.wordpiece import longest_match
from tests.faults.registry import case
from tests.faults.strategies import Kept, generator

SENTENCES = ["배를 타고 바다로 간다.", "배를 깎아 먹는다.", "배가 아프다."]
VOCAB = [
    *tokenization.wordpiece.SPECIAL_TOKENS,
    "배",
    "##를",
    "##가",
    "타",
    "##고",
    "먹",
    "##는",
    "##다",
    ".",
]


def vocab() -> dict[str, int]:
    return {piece: number for number, piece in enumerate(VOCAB)}


def moment() -> dates.Moment:
    return dates.Moment(datetime.date(2026, 11, 22), datetime.time(15, 30))


def trained(trainer: type, texts: list[str], size: int, options: dict) -> list[str]:
    """Train a tokenizer, and use it."""
    return trainer(**options).train(texts, size).tokenize(SENTENCES[0])


case(longest_match, lambda: {"word": "배를", "vocab": vocab()})
case(to_jamo, lambda: {"syllable": "배"})
case(normalized_text, lambda: {"text": SENTENCES[0], "lower": True, "accents_off": False})
case(byte_symbols, dict)
case(
    tokenization.WordPieceTokenizer,
    lambda: {"vocab": Kept(vocab()), "text": SENTENCES[0], "pair": SENTENCES[1], "max_length": 11},
    call=lambda vocab, **given: tokenization.WordPieceTokenizer(vocab, strip_accents=False).encode(**given),
    also=(tokenization.WordPieceTokenizer.encode,),
)
case(tokenization.WordPieceTokenizer, lambda: {"vocab": vocab(), "max_word_length": 9}, part="#vocab")
case(
    tokenization.BPETokenizer,
    lambda: {"vocab": {"[UNK]": 0, "▁": 1, "배": 2, "▁배": 3}, "merges": [("▁", "배")], "text": SENTENCES[0]},
    call=lambda text, **given: tokenization.BPETokenizer(**given).tokenize(text),
)
case(
    tokenization.ByteBPETokenizer,
    lambda: {
        "vocab": Kept({sign: number for number, sign in enumerate(byte_symbols())}),
        "merges": Kept([]),
        "text": SENTENCES[0],
    },
    call=lambda text, **given: tokenization.ByteBPETokenizer(**given).tokenize(text),
)
for trainer in (tokenization.BPETrainer, tokenization.ByteBPETrainer, tokenization.WordPieceTrainer):
    case(
        trainer,
        lambda: {"texts": list(SENTENCES), "size": 300, "min_count": 2},
        call=lambda texts, size, trainer=trainer, **options: trained(trainer, texts, size, options),
        also=(trainer.train,),
    )
for train in (fast.train_fast_bpe, fast.train_fast_byte_bpe, fast.train_fast_wordpiece):
    case(train, lambda: {"texts": list(SENTENCES), "vocab_size": 300, "min_count": 2})
case(before.split_words, lambda: {"sentence": SENTENCES[0]})
case(before.learn_stems, lambda: {"sentences": list(SENTENCES)})
case(before.cut_sentence, lambda: {"sentence": SENTENCES[0], "stems": {"배를": "배"}})
case(ngrams, lambda: {"word": "배나무"})
case(contextual.occurrences, lambda: {"sentence": SENTENCES[0], "word": "배"})
case(contextual.find_word, lambda: {"sentence": SENTENCES[0], "word": "배", "occurrence": 0})
case(shuffled_words, lambda: {"sentence": SENTENCES[0], "generator": Kept(generator())})
case(
    dates.Moment,
    lambda: {"day": datetime.date(2026, 11, 22), "time": datetime.time(15, 30)},
)
case(dates.korean, lambda: {"moment": moment(), "weekday": True})
case(dates.english, lambda: {"moment": moment(), "weekday": True})
case(date_pairs.split_of, lambda: {"moment": moment()})
case(date_pairs.draw_pairs, lambda: {"number": 3, "split": "train", "generator": Kept(generator())}, few=True)
case(date_tokens.english_tokens, lambda: {"sentence": "noon on 4 May 1953"})
case(date_tokens.korean_tokens, lambda: {"sentence": "1953년 5월 4일 정오"})
case(date_tokens.source_ids, lambda: {"sentences": ["noon on 4 May 1953", "4 May 1953"]})
case(date_tokens.target_ids, lambda: {"sentences": ["1953년 5월 4일 정오", "1953년 5월 4일"]})
case(date_tokens.korean_text, lambda: {"ids": [1, 5, 13, 8, 6, 14, 2]})
