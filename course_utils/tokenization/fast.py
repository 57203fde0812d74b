"""The same tokenizers in the `tokenizers` library (Rust): for training and encoding at speed, equal by test.

`fast_*` turns one of ours into its twin; `train_fast_*` trains in the library and gives back one of ours.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from course_utils.support.given import list_of_texts
from course_utils.tokenization.bpe import UNKNOWN, WORD_START
from course_utils.tokenization.bpe_tokenizer import BPETokenizer
from course_utils.tokenization.byte_bpe import ByteBPETokenizer, byte_symbols
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.tokenization.wordpiece import CONTINUES, MAX_WORD_LENGTH, WordPieceTokenizer

# What str.split() cuts at: the library's own \s lacks U+001C … U+001F.
_BLANKS = "[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
LARGEST = 2**24  # symbols: the library makes room for all that it is asked for, and no text yields more
LEAST = 2  # times that a pair is seen


def fast_wordpiece(tokenizer: WordPieceTokenizer) -> Tokenizer:
    """The twin of a WordPieceTokenizer: the same ids, tokens and offsets. It truncates nothing until told to
    (`enable_truncation(512)`)."""
    model = models.WordPiece(
        tokenizer.word_pieces, unk_token=UNKNOWN, max_input_chars_per_word=tokenizer.max_word_length
    )
    fast = _bert_rules(Tokenizer(model), tokenizer.lowercase, tokenizer.strip_accents)
    for token in sorted(tokenizer.added.values(), key=lambda token: token.id):
        flags = {name: flag for name, flag in asdict(token).items() if name not in ("content", "id")}
        added = AddedToken(token.content, **flags)
        (fast.add_special_tokens if token.special else fast.add_tokens)([added])
    fast.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.vocab["[SEP]"]), ("[CLS]", tokenizer.vocab["[CLS]"])
    )
    fast.decoder = decoders.WordPiece(prefix=CONTINUES, cleanup=False)
    return fast


def fast_bpe(tokenizer: BPETokenizer) -> Tokenizer:
    """The twin of a BPETokenizer."""
    fast = _bpe_rules(
        Tokenizer(models.BPE(vocab=tokenizer.vocab, merges=tokenizer.merges, unk_token=tokenizer.unknown))
    )
    fast.decoder = decoders.Metaspace(replacement=WORD_START, prepend_scheme="always")
    return fast


def fast_byte_bpe(tokenizer: ByteBPETokenizer) -> Tokenizer:
    """The twin of a ByteBPETokenizer."""
    fast = _byte_rules(Tokenizer(models.BPE(vocab=tokenizer.vocab, merges=tokenizer.merges)))
    fast.decoder = decoders.ByteLevel()
    return fast


def train_fast_wordpiece(
    texts: Iterable[str],
    vocab_size: int,
    *,
    lowercase: bool = True,
    strip_accents: bool = True,
    limit_alphabet: int | None = None,
) -> WordPieceTokenizer:
    """A WordPiece vocabulary learned by the library: by counts, as BPE, not by WordPiece's score.

    Left alone, the library learns a different one every time: it numbers the characters in the order its hash table
    happens to yield, and these numbers decide between pairs of equal count. So they are given to it in a fixed order.

    Args:
        limit_alphabet: keep only so many characters, the most frequent ones. In Korean text every ideograph and rare
            sign otherwise takes a place of the vocabulary.
    """
    fast = _bert_rules(
        Tokenizer(models.WordPiece(unk_token=UNKNOWN, max_input_chars_per_word=MAX_WORD_LENGTH)),
        lowercase,
        strip_accents,
    )
    texts = list_of_texts("texts", texts)
    characters, inside = _characters(fast, texts, limit_alphabet)
    trainer = trainers.WordPieceTrainer(
        vocab_size=min(vocab_size, LARGEST),
        min_frequency=LEAST,
        special_tokens=[*SPECIAL_TOKENS, *characters, *inside],  # only of these the order can be given
        initial_alphabet=characters,
        limit_alphabet=len(characters),
        continuing_subword_prefix=CONTINUES,
        show_progress=False,
    )
    fast.train_from_iterator(texts, trainer)
    return WordPieceTokenizer(_by_id(fast), lowercase=lowercase, strip_accents=strip_accents)


def train_fast_bpe(texts: Iterable[str], vocab_size: int) -> BPETokenizer:
    """What BPETrainer learns, learned by the library."""
    fast = _bpe_rules(Tokenizer(models.BPE(unk_token=UNKNOWN)))
    return BPETokenizer(*_train_bpe(fast, texts, vocab_size, special_tokens=[UNKNOWN]))


def train_fast_byte_bpe(texts: Iterable[str], vocab_size: int) -> ByteBPETokenizer:
    """What ByteBPETrainer learns, learned by the library."""
    fast = _byte_rules(Tokenizer(models.BPE()))
    return ByteBPETokenizer(*_train_bpe(fast, texts, vocab_size, initial_alphabet=list(byte_symbols())))


def _train_bpe(
    fast: Tokenizer, texts: Iterable[str], vocab_size: int, **begins_with: list[str]
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Vocabulary and merges in their order; of these only the model's JSON tells."""
    size = min(vocab_size, LARGEST)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=LEAST, show_progress=False, **begins_with)
    fast.train_from_iterator(list_of_texts("texts", texts), trainer)
    return _by_id(fast), [tuple(pair) for pair in json.loads(fast.to_str())["model"]["merges"]]


def _characters(fast: Tokenizer, texts: Sequence[str], limit: int | None) -> tuple[list[str], list[str]]:
    """The most frequent characters, and those of them that stand inside a word, with ##; each in a fixed order."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(
            word for word, _ in fast.pre_tokenizer.pre_tokenize_str(fast.normalizer.normalize_str(text))
        )
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    kept = sorted(counts, key=lambda character: (-counts[character], character))[:limit]
    inside = {character for word in words for character in word[1:]}
    return sorted(kept), sorted(CONTINUES + character for character in inside.intersection(kept))


def _bert_rules(fast: Tokenizer, lowercase: bool, strip_accents: bool) -> Tokenizer:
    fast.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    fast.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return fast


def _bpe_rules(fast: Tokenizer) -> Tokenizer:
    # A blank before every word, and none where there is no word; then each blank becomes ▁ and begins a piece.
    fast.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(Regex(_BLANKS), " "),
            normalizers.Replace(Regex("^ | $"), ""),
            normalizers.Replace(Regex("^(?=.)"), " "),
            normalizers.Replace(" ", WORD_START),
        ]
    )
    fast.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(WORD_START, "merged_with_next"), pre_tokenizers.Punctuation("isolated")]
    )
    return fast


def _byte_rules(fast: Tokenizer) -> Tokenizer:
    blanks = "[ \t\n\r]"
    words = Regex(f" ?[^ \t\n\r]+|{blanks}+(?![^ \t\n\r])|{blanks}+")
    fast.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(words, "isolated"),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return fast


def _by_id(fast: Tokenizer) -> dict[str, int]:
    return dict(sorted(fast.get_vocab().items(), key=lambda item: item[1]))
