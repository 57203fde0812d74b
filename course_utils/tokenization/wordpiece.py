"""WordPiece (Schuster and Nakajima 2012; BERT's tokenizer, Devlin et al. 2018).

A piece that continues a word begins with ##: 배를 -> 배 | ##를. Encoding does not replay merges, as BPE does: it takes
the longest piece in the vocabulary, again and again, from the left; when nothing fits, the whole word is [UNK].

Not here: how the vocabulary is learned (wordpiece_training.py), and padding (that belongs to the batch).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from course_utils.support.given import listed
from course_utils.tokenization.added import AddedToken, Finder
from course_utils.tokenization.encoding import Encoding, shares
from course_utils.tokenization.normalization import Word, normalize, split_words
from course_utils.tokenization.vocab import (
    SPECIAL_TOKENS,
    check_special_tokens,
    load_vocab,
    save_vocab,
    tokens_of,
)

CONTINUES = "##"
UNKNOWN = "[UNK]"
MAX_WORD_LENGTH = 100  # in characters; `tokenizers`' value (the first release of BERT's code had 200)
# Normalisation cuts at these blanks, too: it drops U+000B and U+0085 without a cut.
CHUNKS = re.compile("[^ \t\n\r]+")
WHOLE = re.compile("(?s:.+)")  # not to be cut: an added token takes such blanks along
_CACHE_SIZE = 2**16

Pieces = list[tuple[str, tuple[int, int]]]  # each with its (start, end) in the text as typed


def longest_match(word: str, vocab: Mapping[str, int]) -> list[str] | None:
    """Cut one word greedily into the longest pieces of the vocabulary; None when it cannot be done.

    >>> longest_match("배에서", {"배": 0, "##에": 1, "##에서": 2})
    ['배', '##에서']
    """
    pieces: list[str] = []
    start = 0
    while start < len(word):
        prefix = CONTINUES if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocab:
                break
        else:
            return None
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


class WordPieceTokenizer:
    """BERT's tokenizer: normalise, cut into words, cut each word into pieces; add [CLS] and [SEP].

    Special tokens that stand in the text ("나는 [MASK] 먹었다") are kept whole, and so are added ones.

    Args:
        vocab: token -> id, with [PAD], [UNK], [CLS], [SEP] and [MASK].
        lowercase: turn to lower case. False for a cased model.
        strip_accents: decompose (NFD) and drop accents. It breaks Hangul into Jamo: False for Korean. BERT's released
            models have it on exactly where they are lower-cased.
        max_word_length: longer words (in characters, after normalisation) are [UNK].
        added: tokens that are cut out before the words are. The attribute vocab has them, too; word_pieces, into which
            words are cut, does not.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        *,
        lowercase: bool = True,
        strip_accents: bool = True,
        max_word_length: int = MAX_WORD_LENGTH,
        added: Iterable[AddedToken] = (),
    ) -> None:
        self.word_pieces = dict(vocab)
        check_special_tokens(self.word_pieces)
        special = [AddedToken(name, vocab[name], normalized=False, special=True) for name in SPECIAL_TOKENS]
        self.added = {token.content: token for token in [*special, *added]}
        self.vocab = self.word_pieces | {token.content: token.id for token in self.added.values()}
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.max_word_length = max_word_length
        self.ids_to_tokens = {number: token for token, number in self.vocab.items()}
        typed, normal = (
            [t for t in self.added.values() if t.normalized is normalized] for normalized in (False, True)
        )
        self._typed = Finder(typed)
        self._normal = Finder(normal, lambda text: "".join(char for char, _ in self.normalized(text)))
        blanks = any(token.lstrip or token.rstrip or CHUNKS.sub("", token.content) for token in normal)
        self._chunks = WHOLE if blanks else CHUNKS
        self._known: dict[str, Pieces] = {}

    @classmethod
    def from_vocab_file(
        cls, path: str | Path, lowercase: bool = True, strip_accents: bool = True
    ) -> WordPieceTokenizer:
        """The tokenizer of a vocab.txt; ValueError where the file is damaged or lacks a special token."""
        return cls(load_vocab(path), lowercase=lowercase, strip_accents=strip_accents)

    def save_vocab_file(self, path: str | Path) -> None:
        """Write vocab.txt; ValueError where tokens were added, for which it has no place."""
        if lost := sorted(self.vocab.keys() - self.word_pieces.keys()):
            raise ValueError(f"vocab.txt has no place for {listed(lost)}, added later: use save_pretrained")
        save_vocab(self.word_pieces, path)

    def normalized(self, text: str) -> list[tuple[str, int]]:
        """What normalisation leaves of a text, each character with its place in the text as typed."""
        return normalize(text, lower=self.lowercase, accents_off=self.strip_accents)

    def words(self, text: str) -> list[Word]:
        """The normalised words of a text that holds no special tokens, each with the places of its characters."""
        return split_words(self.normalized(text))

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, without [CLS] and [SEP]: "배를 탔다." -> ["배", "##를", "탔", "##다", "."]."""
        return [piece for piece, _ in self.pieces(text)]

    def pieces(self, text: str) -> Pieces:
        """The pieces of a text, each with its (start, end) in the text as typed."""
        found: Pieces = []
        for token, start, end in self._typed.cut(text):
            found += [(token, (start, end))] if token else self._plain_pieces(text[start:end], start)
        return found

    def encode(self, text: str, pair: str | None = None, max_length: int | None = 512) -> Encoding:
        """[CLS] text [SEP], or [CLS] text [SEP] pair [SEP].

        Args:
            text: the first text.
            pair: the second text, or None.
            max_length: the most tokens, special ones included; the longer text is cut first, at its end.
                None: never cut.
        """
        texts = [self.pieces(text)] if pair is None else [self.pieces(text), self.pieces(pair)]
        if max_length is not None:
            room = max_length - 1 - len(texts)
            if room < 0:
                raise ValueError(f"max_length must be at least {1 + len(texts)}, got {max_length}")
            kept = shares(len(texts[0]), len(texts[1]) if pair is not None else 0, room)
            texts = [pieces[:length] for pieces, length in zip(texts, kept)]
        added = (0, 0)  # [CLS] and [SEP] stand nowhere in the text
        pieces = [("[CLS]", added), *texts[0], ("[SEP]", added)]
        segments = [0] * len(pieces)
        if pair is not None:
            pieces += [*texts[1], ("[SEP]", added)]
            segments += [1] * (len(pieces) - len(segments))
        tokens = [token for token, _ in pieces]
        ids = [self.vocab[token] for token in tokens]
        return Encoding(ids, segments, [1] * len(ids), tokens, [span for _, span in pieces])

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        """Words with blanks between them. What normalisation and [UNK] dropped does not come back."""
        text = ""
        for token in tokens_of(ids, self.ids_to_tokens):
            if not (skip_special_tokens and token in self.added and self.added[token].special):
                text += token.removeprefix(CONTINUES) if token.startswith(CONTINUES) else " " + token
        return text.strip()

    def _plain_pieces(self, text: str, shift: int) -> Pieces:
        """The pieces of a text without tokens as typed, which begins at `shift` in the whole text.

        What stands between two blanks is normalised and cut by itself; what was seen before is looked up.
        """
        found: Pieces = []
        for chunk in self._chunks.finditer(text):
            pieces = self._known.get(chunk.group())
            if pieces is None:
                pieces = self._cut(chunk.group())
                if len(self._known) >= _CACHE_SIZE:
                    self._known.clear()
                self._known[chunk.group()] = pieces
            begin = shift + chunk.start()
            found += [(piece, (begin + start, begin + end)) for piece, (start, end) in pieces]
        return found

    def _cut(self, chunk: str) -> Pieces:
        """The pieces of what stands between two blanks."""
        found: Pieces = []
        aligned = self.normalized(chunk)
        for token, start, end in self._normal.cut("".join(char for char, _ in aligned)):
            if token:
                found.append((token, (aligned[start][1], aligned[end - 1][1] + 1)))
            else:
                for word in split_words(aligned[start:end]):
                    found += self._word_pieces(word)
        return found

    def _word_pieces(self, word: Word) -> Pieces:
        """The pieces of one word."""
        text, places = word
        pieces = longest_match(text, self.word_pieces) if len(text) <= self.max_word_length else None
        if pieces is None:
            return [(UNKNOWN, (places[0], places[-1] + 1))]
        found: Pieces = []
        start = 0
        for piece in pieces:
            end = start + len(piece) - (len(CONTINUES) if start else 0)
            found.append((piece, (places[start], places[end - 1] + 1)))
            start = end
        return found
