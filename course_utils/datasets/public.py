"""Public Korean text to pre-train on: what of each corpus is read, and what of it is left out.

    python -m course_utils.datasets.public                    how many sentences each rule leaves out of each corpus
    python -m course_utils.datasets.public ChatbotData.csv    of one corpus

Left out, in this order: what later notebooks test on (set_aside.py), what an earlier sentence repeats, what is rude (of
reviews and chat; rude.py), what is too near a held-out sentence of data/senses.json (nearness.py).
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from course_utils.datasets.download import find_file
from course_utils.datasets.layouts import Documents, chat, conllu, json_pairs, korsts, read_reviews
from course_utils.datasets.nearness import NearCopies
from course_utils.datasets.rude import rude_stem
from course_utils.datasets.set_aside import SET_ASIDE, SetAside, film_part, letters
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.given import one_line
from course_utils.support.paths import DATA

REVIEWS = "nsmc_raw.tsv.gz"  # the film reviews
RULES = ("set aside", "repeated", "rude", "near")


def _reviews(file: Path) -> Documents:
    return ([review.text] for review in read_reviews(file) if film_part(review.film) == "pretraining")


READERS: dict[str, Callable[[Path], Documents]] = {
    "korsts-train.tsv": korsts,
    "klue-nli-v1.1_dev.json": json_pairs("premise", "hypothesis"),
    "klue-sts-v1.1_dev.json": json_pairs("sentence1", "sentence2"),
    "ChatbotData.csv": chat,
    "ko_kaist-ud-dev.conllu": conllu,
    REVIEWS: _reviews,
}
# The others were looked through by those who published them.
OUTSPOKEN = ("ChatbotData.csv", REVIEWS)


@dataclass
class Prepared:
    """A corpus as it is trained on, and what was left out of it."""

    name: str
    documents: list[list[str]] = field(default_factory=list)
    read: int = 0  # sentences
    left_out: Counter[str] = field(default_factory=Counter)  # sentences by rule
    stems: Counter[str] = field(default_factory=Counter)  # rude sentences by stem

    @property
    def sentences(self) -> int:
        return sum(map(len, self.documents))

    @property
    def characters(self) -> int:
        return sum(len(sentence) for document in self.documents for sentence in document)


class _Rules:
    """Says of one sentence after the other why it is left out, if it is."""

    def __init__(self) -> None:
        self.set_aside = SetAside(text for texts in SET_ASIDE.values() for text in texts())
        self.near = NearCopies(held_out_sentences())
        self.seen: set[str] = set()

    def against(self, sentence: str, corpus: Prepared) -> str | None:
        key = letters(sentence)
        if self.set_aside.holds(key):
            return "set aside"
        if key in self.seen:
            return "repeated"
        self.seen.add(key)
        if corpus.name in OUTSPOKEN and (stem := rude_stem(sentence)):
            corpus.stems[stem] += 1
            return "rude"
        return "near" if self.near.of(sentence) else None


def held_out_sentences() -> list[str]:
    """All sentences of data/senses.json."""
    senses = json.loads((DATA / "senses.json").read_text(encoding="utf-8"))
    return [
        sentence for by_sense in senses.values() for sentences in by_sense.values() for sentence in sentences
    ]


def prepare(names: Sequence[str] = ("all",)) -> list[Prepared]:
    """The public corpora that may be pre-trained on, each with what was left out.

    Args:
        names: of READERS; "all" stands for all of them. What is set aside must be there, too, whatever is read.
    """
    wanted = [name for given in names for name in (READERS if given == "all" else (given,))]
    unknown = [name for name in wanted if name not in READERS]
    if unknown:
        raise ValueError(
            f"the public corpora are {', '.join(READERS)}, or 'all'; got {one_line(', '.join(unknown), 100)}"
        )
    rules = _Rules()
    return [_prepare(name, rules) for name in dict.fromkeys(wanted)]


def _prepare(name: str, rules: _Rules) -> Prepared:
    corpus = Prepared(name)
    for document in READERS[name](find_file(name)):
        kept: list[str] = []
        for given in document:
            sentence = " ".join(unicodedata.normalize("NFC", given).split())
            if not sentence:
                continue
            corpus.read += 1
            rule = rules.against(sentence, corpus)
            if rule is None:
                kept.append(sentence)
                continue
            corpus.left_out[rule] += 1
            if kept:  # what follows a gap is another document: it is not the next sentence
                corpus.documents.append(kept)
            kept = []
        if kept:
            corpus.documents.append(kept)
    return corpus


def overlaps(corpora: Sequence[Prepared]) -> Counter[str]:
    """Kept sentences that break a rule after all, by rule: a second look, which compares texts without their blanks."""
    aside = {_without_blanks(text) for texts in SET_ASIDE.values() for text in texts()}
    kept = [sentence for corpus in corpora for document in corpus.documents for sentence in document]
    near = NearCopies(held_out_sentences())
    return Counter(
        {
            "set aside": sum(_without_blanks(sentence) in aside for sentence in kept),
            "repeated": len(kept) - len({_without_blanks(sentence) for sentence in kept}),
            "near": sum(bool(near.of(sentence)) for sentence in kept),
        }
    )


def _without_blanks(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", text).split())


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit status.

    0 if nothing is left of what must not be, 1 if something is, 2 if a corpus is not available.
    """
    parser = argparse.ArgumentParser(
        prog="python -m course_utils.datasets.public",
        description="Count what of the public corpora is pre-trained on, and what is left out.",
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(READERS)}; default: all")
    add_debug(parser)
    chosen = parser.parse_args(arguments)
    return carry_out("public", lambda: _count(chosen.names or ("all",)), debug=chosen.debug)


def _count(names: Sequence[str]) -> int:
    """Print the table; 1 if a sentence is left that must not be, else 0."""
    corpora = prepare(names)
    columns = ("sentences read", *RULES, "documents kept", "sentences", "characters")
    print("\t".join(("corpus", *columns)))
    for corpus in corpora:
        counts = [corpus.left_out[rule] for rule in RULES]
        row = (corpus.read, *counts, len(corpus.documents), corpus.sentences, corpus.characters)
        print(corpus.name, *(f"{count:,}" for count in row), sep="\t")
    stems = sum((corpus.stems for corpus in corpora), Counter())
    print("rude:", ", ".join(f"{stem} {times:,}" for stem, times in stems.most_common()))
    found = overlaps(corpora)
    print("left after all:", ", ".join(f"{rule} {times:,}" for rule, times in found.items()))
    return int(found.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
