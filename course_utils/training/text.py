"""The text of a pre-training run: read, split, cut into pieces by a vocabulary of its own, made into batches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from course_utils.datasets.batching import Batch, MixedBatches, PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.public import REVIEWS, prepare
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.support.files import write_atomically
from course_utils.support.given import path_of, several, shown, whole_number
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import load_vocab, save_vocab
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
    """Read the documents, split them, learn the vocabulary (or read it where a stopped run left it), encode.

    Args:
        settings: of the run; corpus names files or folders, joined by commas.
        vocabulary: the file of the vocabulary; written where it is not there yet.

    Raises:
        ValueError, OSError: if the text cannot be read, or the vocabulary is too small for it; if an argument is none.
    """
    if not isinstance(settings, Settings):
        raise ValueError(f"settings must be Settings, got {shown(settings)}")
    vocabulary = path_of("vocabulary", vocabulary)
    own = read_documents(settings.corpus.split(","))
    public = prepare(settings.public.split(",")) if settings.public else []
    reviews = [document for corpus in public if corpus.name == REVIEWS for document in corpus.documents]
    others = [document for corpus in public if corpus.name != REVIEWS for document in corpus.documents]
    split = [split_documents(group, settings.held_out, settings.seed) for group in (own, others, reviews)]
    for group, share, (documents, _) in zip(GROUPS, settings.percents(), split):
        if share and not documents:
            raise ValueError(
                f"shares ask for {share} % of {group}, and the text holds none: see --corpus and --public"
            )
    given = str(Path(settings.start_from) / VOCABULARY) if settings.start_from else settings.vocab_file
    if not vocabulary.is_file() and given:
        vocabulary.parent.mkdir(parents=True, exist_ok=True)
        save_vocab(load_vocab(given), vocabulary)
    elif not vocabulary.is_file():
        sentences = [sentence for documents, _ in split for document in documents for sentence in document]
        tokenizer = train_vocabulary(sentences, settings.vocab_size)
        vocabulary.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(vocabulary, "".join(f"{token}\n" for token in tokenizer.vocab))
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


def split_documents(
    documents: list[list[str]], one_in: int, seed: int
) -> tuple[list[list[str]], list[list[str]]]:
    """Set one document in `one_in` aside, drawn from the seed; none where that is not even two.

    A single one would be no use: a wrong next sentence is drawn from another document.

    Raises:
        ValueError: if documents are no list, or one_in is no whole number of at least 0.
    """
    documents = several("documents", documents, "documents, each a list of sentences")
    one_in = whole_number("one_in", one_in, least=0)
    if not one_in or len(documents) // one_in < 2:
        return documents, []
    order = torch.randperm(len(documents), generator=seeded(seed, one_in)).tolist()
    aside = set(order[: len(documents) // one_in])
    return (
        [document for number, document in enumerate(documents) if number not in aside],
        [document for number, document in enumerate(documents) if number in aside],
    )


def batch_stream(
    settings: Settings, documents: list[list[list[int]]], tokenizer: WordPieceTokenizer, *, seed: int
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
