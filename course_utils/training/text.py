"""The text of a pre-training run: read, split, cut into pieces by a vocabulary of its own, made into batches."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import torch

from course_utils.datasets.batching import PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.public import public_documents
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.support.files import write_atomically
from course_utils.support.given import path_of, several, shown, whole_number
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.settings import Settings


@dataclass(frozen=True)
class Text:
    """Encoded documents to learn from and to measure with."""

    tokenizer: WordPieceTokenizer
    train: list[list[list[int]]]
    held_out: list[list[list[int]]]
    checksums: dict[str, str]  # of the text and of the vocabulary: a run goes on with the same ones only


def prepare_text(settings: Settings, vocabulary: Path) -> Text:
    """Read the documents, split them, learn the vocabulary (or read it where a stopped run left it), encode.

    What is measured with is split off before anything is repeated.

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
    public = public_documents(settings.public.split(",")) if settings.public else []
    own_train, own_held_out = split_documents(own, settings.held_out, settings.seed)
    public_train, public_held_out = split_documents(public, settings.held_out, settings.seed)
    if not vocabulary.is_file():
        sentences = [sentence for document in [*own_train, *public_train] for sentence in document]
        tokenizer = train_vocabulary(sentences, settings.vocab_size)
        vocabulary.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(vocabulary, "".join(f"{token}\n" for token in tokenizer.vocab))
    tokenizer = WordPieceTokenizer.from_vocab_file(vocabulary, lowercase=False, strip_accents=False)
    return Text(
        tokenizer,
        encode_documents([*own_train * settings.corpus_repeats, *public_train], tokenizer),
        encode_documents([*own_held_out, *public_held_out], tokenizer),
        {"text": _checksum([*own, [""], *public]), "vocabulary": _checksum([list(tokenizer.vocab)])},
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
        candidates=settings.candidates,
        seed=seed,
    )
