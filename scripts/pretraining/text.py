"""The text of a pre-training run: read, split, cut into pieces by a vocabulary of its own, made into batches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course_utils.datasets.batching import Batch, MixedBatches, PretrainingBatches, encode_documents
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.public import REVIEWS, prepare
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import load_vocab, save_vocab
from course_utils.training.measures import split_documents
from course_utils.training.settings import GROUPS, Settings

VOCABULARY = "vocab.txt"
Encoded = list[list[list[int]]]  # documents, sentences, ids


@dataclass(frozen=True)
class Text:
    """Encoded documents to learn from and to measure with."""

    tokenizer: WordPieceTokenizer
    groups: tuple[Encoded, Encoded, Encoded]  # to learn from, see settings.GROUPS
    held_out: Encoded
    checksums: dict[str, str]  # of the text and of the vocabulary: a run goes on with the same ones only

    @property
    def train(self) -> Encoded:
        """All documents to learn from."""
        return [document for group in self.groups for document in group]


def prepare_text(settings: Settings, vocabulary: Path) -> Text:
    """Read the documents, split them, learn the vocabulary (or read it where a stopped run left it), encode."""
    own = read_documents(settings.corpus.split(","))
    public = prepare(settings.public.split(",")) if settings.public else []
    reviews = [document for corpus in public if corpus.name == REVIEWS for document in corpus.documents]
    others = [document for corpus in public if corpus.name != REVIEWS for document in corpus.documents]
    split = [split_documents(group, settings.held_out, settings.seed) for group in (own, others, reviews)]
    for group, share, (documents, _) in zip(GROUPS, settings.percents(), split):
        if share and not documents:
            raise ValueError(f"shares ask for {share} % of {group}, and the text holds none")
    if not vocabulary.is_file():
        vocabulary.parent.mkdir(parents=True, exist_ok=True)
        given = Path(settings.start_from) / VOCABULARY if settings.start_from else settings.vocab_file
        if given:
            pieces = load_vocab(given)
        else:
            sentences = [line for documents, _ in split for document in documents for line in document]
            pieces = train_vocabulary(sentences, settings.vocab_size).vocab
        save_vocab(pieces, vocabulary)
    tokenizer = WordPieceTokenizer.from_vocab_file(vocabulary, lowercase=False, strip_accents=False)
    return Text(
        tokenizer,
        tuple(encode_documents(documents, tokenizer) for documents, _ in split),
        encode_documents([document for _, aside in split for document in aside], tokenizer),
        {
            "text": _checksum([*own, [""], *others, [""], *reviews]),
            "vocabulary": _checksum([list(tokenizer.vocab)]),
        },
    )


def _checksum(documents: list[list[str]]) -> str:
    """The first 16 digits of the sha256 of documents, a sentence a line and a blank line after each."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update("".join(f"{sentence}\n" for sentence in [*document, ""]).encode())
    return f"sha256 {digest.hexdigest()[:16]}…"


def batch_stream(
    settings: Settings, documents: Encoded, tokenizer: WordPieceTokenizer, *, seed: int
) -> PretrainingBatches:
    """The batches of encoded documents, as the settings want them."""
    return PretrainingBatches(
        documents,
        tokenizer,
        batch_size=settings.batch_size,
        max_length=settings.max_length,
        whole_words=settings.whole_words,
        mask_rate=settings.mask_rate,
        same_homonym=settings.same_homonym,
        seed=seed,
    )


def training_stream(settings: Settings, text: Text) -> Callable[[int], Batch]:
    """The batches that a run learns from: all text alike, or the groups in the shares that the settings want."""
    if not settings.shares:
        return batch_stream(settings, text.train, text.tokenizer, seed=settings.seed)
    wanted = [(group, share) for group, share in zip(text.groups, settings.percents()) if share]
    streams = [batch_stream(settings, group, text.tokenizer, seed=settings.seed) for group, _ in wanted]
    return MixedBatches(streams, [share for _, share in wanted], seed=settings.seed)
