"""What decides the result of a pre-training run: a line for each setting, with its value, meaning and bounds.

`setting`, `Checked`, `add_options` and `chosen` make a command of such a class; scripts/sense_tuning.py has another.
`new_model`, `schedule` and `precision` are what the settings of pre-training mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.datasets.corpus import CORPUS
from course_utils.datasets.pretraining import MASK_RATE
from course_utils.heads import BertForPreTraining
from course_utils.positional import sinusoidal_encoding
from course_utils.schedules import linear_rate
from course_utils.support.given import real_number, shown, whole_number
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.training.device import fast_precision

# More than this machine has is allowed, for a run goes on with the threads that it began with, on another machine, too.
# 512 was tried and is slow; at 100,000 torch crashes.
MOST_THREADS = 256
LARGEST_SEED = 2**63 - 1  # torch takes twice as many: what is added for each process has room
GROUPS = ("the corpus", "public text but for film reviews", "film reviews")  # what shares are of


def setting(default: Any, meaning: str, **bounds: Any) -> Any:
    """A field of a class of settings; its type is that of its default.

    Args:
        default: a number, a text, True or False.
        meaning: for --help.
        bounds: of a number, as whole_number (at least 1, unless said otherwise) and real_number (at least 0) take
            them; or `choices`, of a text.
    """
    return field(default=default, metadata={"meaning": meaning, "bounds": bounds})


class Checked:
    """Base of a dataclass of settings: ValueError where one is out of its bounds or of another type."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value, kind, bounds = getattr(self, one.name), type(one.default), one.metadata["bounds"]
            if kind is int:
                whole_number(one.name, value, **bounds)
            elif kind is float:
                real_number(one.name, value, **bounds)
            elif not isinstance(value, kind):
                wanted = "True or False" if kind is bool else "a text"
                raise ValueError(f"{one.name} must be {wanted}, got {shown(value)}")
            elif value not in bounds.get("choices", [value]):
                raise ValueError(f"{one.name} must be of {', '.join(bounds['choices'])}; got {shown(value)}")


Options = TypeVar("Options", bound=Checked)


def add_options(parser: argparse.ArgumentParser, kind: type[Checked]) -> None:
    """An option for each setting of a class."""
    for one in fields(kind):
        option, meaning = "--" + one.name.replace("_", "-"), one.metadata["meaning"]
        if isinstance(one.default, bool):
            parser.add_argument(
                option, default=one.default, action=argparse.BooleanOptionalAction, help=meaning
            )
        else:
            parser.add_argument(
                option,
                default=one.default,
                type=type(one.default),
                choices=one.metadata["bounds"].get("choices"),
                help=f"{meaning} ({one.default})",
            )


def chosen(kind: type[Options], found: argparse.Namespace) -> Options:
    """The settings that a command line gives."""
    return kind(**{one.name: getattr(found, one.name) for one in fields(kind)})


@dataclass(frozen=True)
class Settings(Checked):
    """The settings of a pre-training run; it is resumed with the same ones only."""

    corpus: str = setting(
        str(CORPUS),
        "a text file or a folder of them, or several joined by commas: one sentence a line, documents apart by a blank "
        "line",
    )
    public: str = setting(
        "", "names of public corpora to add, joined by commas, or 'all' (see course_utils.datasets.public)"
    )
    shares: str = setting(
        "",
        "of a hundred batches, how many come from the corpus, from the public text but for film reviews, and from film "
        "reviews, such as 85,5,10; without it each text is read once an epoch",
    )
    vocab_file: str = setting("", "a vocab.txt to read with; without it one is learned from the text")
    start_from: str = setting(
        "",
        "a model folder whose training goes on, with its vocabulary and sizes; without it the first weights are random",
    )
    vocab_size: int = setting(8000, "number of pieces to learn", least=len(SPECIAL_TOKENS) + 2)
    layers: int = setting(4, "number of encoder layers")
    hidden: int = setting(256, "hidden size")
    heads: int = setting(4, "attention heads")
    max_length: int = setting(64, "tokens a row at most", least=5)  # [CLS] A [SEP] B [SEP]
    positions: int = setting(128, "position embeddings; more than max_length leaves room for later")
    dropout: float = setting(0.1, "everywhere, attention weights included", most=1.0, open_at=("most",))
    start_std: float = setting(
        0.05,
        "standard deviation of the first weights; narrow models want more than BERT's 0.02",
        open_at=("least",),
    )
    steps: int = setting(10000, "number of updates")
    batch_size: int = setting(64, "rows an update, of all processes together")
    peak_rate: float = setting(1e-3, "highest learning rate")
    warmup: int = setting(500, "updates until it is reached", least=0)
    weight_decay: float = setting(0.01, "of the matrices")
    mask_rate: float = setting(
        MASK_RATE, "share of the words that is chosen", most=1.0, open_at=("least", "most")
    )
    whole_words: bool = setting(True, "choose whole words, not single pieces")
    next_sentence: bool = setting(True, "also predict the next sentence")
    same_homonym: float = setting(
        0.0,
        "how often a wrong next sentence shares a homonym of the course with the true one, where it holds one; 0 is "
        "BERT's way",
        most=1.0,
    )
    held_out: int = setting(20, "one document in so many is kept for measuring; 0 keeps none", least=0)
    seed: int = setting(0, "of everything that is drawn", least=0, most=LARGEST_SEED)
    threads: int = setting(
        2,
        "processor cores that one process computes with; another number rounds sums otherwise, so a run keeps the one "
        "it began with",
        most=MOST_THREADS,
    )
    precision: str = setting(
        "fastest",
        "of the matrix products: float32; bfloat16, about twice as fast where the processor multiplies in it and very "
        "slow elsewhere; or fastest, the one that suits this processor. Parameters are float32 always",
        choices=("float32", "bfloat16", "fastest"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden % self.heads:
            raise ValueError(f"hidden must be a multiple of heads, got {self.hidden} and {self.heads}")
        if self.hidden % 2:
            raise ValueError(f"hidden must be even (sine and cosine by turns), got {self.hidden}")
        if self.warmup > self.steps:
            raise ValueError(f"warmup must be at most steps, got {self.warmup} and {self.steps}")
        if self.positions < self.max_length:
            raise ValueError(f"positions must be at least max_length, got {self.positions}")
        self.percents()

    def percents(self) -> tuple[int, ...]:
        """The shares as whole percent, one for each of GROUPS; or none."""
        found = tuple(
            int(share) if share.isdecimal() else -1 for share in self.shares.split(",") if self.shares
        )
        if found and (len(found) != len(GROUPS) or min(found) < 0 or sum(found) != 100):
            raise ValueError(
                f"shares must be 3 whole numbers of sum 100, such as 85,5,10; got {shown(self.shares)}"
            )
        return found


def new_model(settings: Settings, vocab_size: int) -> BertForPreTraining:
    """A model before its first update. Its position embeddings start as sinusoids, of the other weights' size."""
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.hidden,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        max_position_embeddings=settings.positions,
        initializer_range=settings.start_std,
    )
    model = BertForPreTraining(config, generator=seeded(settings.seed))
    waves = sinusoidal_encoding(settings.positions, settings.hidden)
    with torch.no_grad():  # a sine's root mean square is 1/√2
        model.bert.embeddings.position.embedding.weight.copy_(waves * settings.start_std * 2**0.5)
    return model


def schedule(settings: Settings) -> Callable[[int], float]:
    """The rate of each update, from 1. It reaches 0 one step after the last, so that none is made for nothing."""
    return lambda step: linear_rate(step, settings.peak_rate, settings.warmup, settings.steps + 1)


def precision(settings: Settings, device: torch.device) -> torch.dtype:
    """What the matrix products of a run are computed in."""
    return fast_precision(device) if settings.precision == "fastest" else getattr(torch, settings.precision)
