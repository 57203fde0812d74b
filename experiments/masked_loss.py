"""How well do models fill the blanks of text that none of them read? A row for each source.

    python -m experiments.masked_loss runs/course/model runs/tuned/model

The text is what a pre-training run of the same --corpus, --public, --held-out and --seed sets aside. The models must
have one vocabulary: a loss counts pieces, and pieces of two vocabularies are two different things. The control
("counts") knows no context: it guesses every blank by how often each piece stands in the documents of the source that
were not set aside.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from course_utils.datasets.batching import PretrainingBatches, encode_documents
from course_utils.datasets.corpus import WHOLE_CORPUS, read_documents
from course_utils.datasets.pretraining import IGNORE
from course_utils.datasets.public import REVIEWS, prepare
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained
from course_utils.support.text_width import aligned
from course_utils.training.fast import speed_up
from course_utils.training.measures import measure, split_documents
from course_utils.training.settings import Settings
from experiments.runs import count, plain_parser, run_command
from scripts.pretraining.text import batch_stream

Documents = list[list[str]]


class Source(NamedTuple):
    """Documents of one origin."""

    name: str
    read: Documents
    aside: Documents


def sources(corpus: str, public: Sequence[str], one_in: int, seed: int) -> list[Source]:
    """What scripts.pretraining.text.prepare_text reads, source by source, split as it splits."""
    prepared = prepare(public) if public else []
    own, own_aside = split_documents(read_documents(corpus.split(",")), one_in, seed)
    aside = set()
    for reviews in (False, True):
        group = [
            document for one in prepared if (one.name == REVIEWS) == reviews for document in one.documents
        ]
        aside |= {id(document) for document in split_documents(group, one_in, seed)[1]}
    found = [Source("the course's corpus", own, own_aside)]
    for one in prepared:
        parts: tuple[Documents, Documents] = ([], [])
        for document in one.documents:
            parts[id(document) in aside].append(document)
        found.append(Source(one.name, *parts))
    return found


def behind_blanks(batches: PretrainingBatches, most: int) -> Counter[int]:
    """How often each piece is asked for in the first batches."""
    asked: Counter[int] = Counter()
    for number in range(min(most, batches.batches_per_epoch)):
        labels = batches(number).labels
        asked.update(labels[labels != IGNORE].tolist())
    return asked


def loss_by_counts(counts: Counter[int], size: int, asked: Counter[int]) -> float:
    """Mean −log p of the pieces asked for, p = (count + 1) / (all counts + size of the vocabulary)."""
    total = counts.total() + size
    lost = math.fsum(-math.log((counts[piece] + 1) / total) * often for piece, often in asked.items())
    return lost / asked.total()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = plain_parser("masked_loss", __doc__)
    add = parser.add_argument
    add("models", nargs="+", type=Path, help="folders of models")
    add("--corpus", default=",".join(map(str, WHOLE_CORPUS)), help="folders of the course's text")
    add("--public", default="all", help="public corpora, joined by commas")
    add("--held-out", type=count, default=200, help="one document in so many was set aside (200)")
    add("--seed", type=int, default=0, help="of the run (0)")
    add("--most", type=count, default=20, help="batches of 64 rows a source, at most (20)")
    return run_command(parser, arguments, _compare)


def _compare(chosen: argparse.Namespace) -> None:
    loaded = [load_pretrained(folder, model_class=BertForPreTraining) for folder in chosen.models]
    vocabularies = [list(tokenizer.vocab) for _, tokenizer in loaded]
    if any(vocabulary != vocabularies[0] for vocabulary in vocabularies):
        raise ValueError("the models must have one vocabulary: losses are counted by its pieces")
    tokenizer = loaded[0][1]
    public = chosen.public.split(",") if chosen.public else []
    settings = Settings(mask_rate=0.2, whole_words=False)
    rows = [["held out from", "blanks", "counts", *(f"{folder} loss, right" for folder in chosen.models)]]
    for name, read, aside in sources(chosen.corpus, public, chosen.held_out, chosen.seed):
        if len(aside) < 2:
            rows.append([name, "0"])
            continue
        batches = batch_stream(settings, encode_documents(aside, tokenizer), tokenizer, seed=chosen.seed + 1)
        counts: Counter[int] = Counter()
        for document in encode_documents(read, tokenizer):
            counts.update(chain.from_iterable(document))
        asked = behind_blanks(batches, chosen.most)
        row = [name, f"{asked.total():,}", f"{loss_by_counts(counts, len(tokenizer.vocab), asked):.2f}"]
        for model, _ in loaded:
            found = measure(speed_up(model).eval(), batches, most=chosen.most)
            row.append(f"{found['held_out_mlm_loss']:.2f}, {found['held_out_mlm_accuracy']:.1%}")
        rows.append(row)
    print(aligned([row + [""] * (len(rows[0]) - len(row)) for row in rows]))


if __name__ == "__main__":
    sys.exit(main())
