"""How well do models fill the blanks of text that none of them read? A table: a row a source, two columns a model.

    python tools/masked_loss.py runs/course/model runs/tuned/model

The text is what a pre-training run of the same --corpus, --public, --held-out and --seed sets aside. The models must
have one vocabulary: a loss counts pieces, and pieces of two vocabularies are two different things. The control column
knows no context at all: it guesses every blank by how often each piece stands behind the blanks of this very table.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from course_utils.datasets.batching import PretrainingBatches, encode_documents
from course_utils.datasets.corpus import WHOLE_CORPUS, read_documents
from course_utils.datasets.pretraining import IGNORE
from course_utils.datasets.public import prepare
from course_utils.evaluate_senses import aligned
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained
from course_utils.training.fast import speed_up
from course_utils.training.measures import measure
from course_utils.training.settings import Settings
from course_utils.training.text import batch_stream, split_documents

Documents = list[list[str]]


def set_aside(corpus: str, public: Sequence[str], one_in: int, seed: int) -> dict[str, Documents]:
    """Source -> the documents that training.text.prepare_text sets aside."""
    prepared = prepare(public) if public else []
    _, own = split_documents(read_documents(corpus.split(",")), one_in, seed)
    _, others = split_documents([document for one in prepared for document in one.documents], one_in, seed)
    aside = {id(document) for document in others}
    found = {"the course's corpus": own}
    found |= {one.name: [document for document in one.documents if id(document) in aside] for one in prepared}
    return found


def entropy(batches: PretrainingBatches, most: int) -> float:
    """−Σ p log p of the pieces behind the blanks: no guess that looks at no context has a smaller loss."""
    counts: Counter[int] = Counter()
    for number in range(min(most, batches.batches_per_epoch)):
        labels = batches(number).labels
        counts.update(labels[labels != IGNORE].tolist())
    total = counts.total()
    return -math.fsum(count / total * math.log(count / total) for count in counts.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("models", nargs="+", type=Path, help="folders of models")
    add("--corpus", default=",".join(map(str, WHOLE_CORPUS)), help="folders of the course's text")
    add("--public", default="all", help="public corpora, joined by commas")
    add("--held-out", type=int, default=200, help="one document in so many was set aside (200)")
    add("--seed", type=int, default=0, help="of the run (0)")
    add("--most", type=int, default=20, help="batches of 64 rows a source, at most (20)")
    chosen = parser.parse_args(arguments)
    loaded = [load_pretrained(folder, model_class=BertForPreTraining) for folder in chosen.models]
    vocabularies = [list(tokenizer.vocab) for _, tokenizer in loaded]
    if any(vocabulary != vocabularies[0] for vocabulary in vocabularies):
        parser.error("the models must have one vocabulary: losses are counted by its pieces")
    tokenizer = loaded[0][1]
    public = chosen.public.split(",") if chosen.public else []
    settings = Settings(mask_rate=0.2, whole_words=False)
    rows = [["held out from", "rows", "no context", *(f"{folder} loss, right" for folder in chosen.models)]]
    for source, documents in set_aside(chosen.corpus, public, chosen.held_out, chosen.seed).items():
        if len(documents) < 2:
            rows.append([source, "0"])
            continue
        batches = batch_stream(
            settings, encode_documents(documents, tokenizer), tokenizer, seed=chosen.seed + 1
        )
        number = min(chosen.most, batches.batches_per_epoch) * settings.batch_size
        row = [source, str(number), f"{entropy(batches, chosen.most):.2f}"]
        for model, _ in loaded:
            found = measure(speed_up(model).eval(), batches, most=chosen.most)
            row.append(f"{found['held_out_mlm_loss']:.2f}, {found['held_out_mlm_accuracy']:.1%}")
        rows.append(row)
    print(aligned([row + [""] * (len(rows[0]) - len(row)) for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
