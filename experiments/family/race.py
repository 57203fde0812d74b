"""What all runs of the races share: sizes, text, updates, budget. All of it is stored with what it gave."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from course_utils.config import BertConfig
from course_utils.training.settings import Settings
from experiments.ablations import BASE

# The small BERT of experiments/ablations.py, on both halves of the course's text.
SETTINGS = replace(
    BASE, corpus="data/corpus,data/corpus_more", steps=8000, batch_size=16, warmup=80, held_out=20
)
LOOKS = 5  # at held-out text in a run
LOOKED_AT, ASKED = 6, 20  # batches of 64 sentences at a look, and at the end of a run


@dataclass(frozen=True)
class Race:
    """The settings of a race: of text and model; `steps` updates are made by each member, `batch_size` rows each."""

    settings: Settings = SETTINGS

    @property
    def config(self) -> BertConfig:
        return bert_config(self.settings)

    def looks(self) -> list[int]:
        return [self.settings.steps * (look + 1) // LOOKS for look in range(LOOKS)]

    def stored(self) -> dict[str, Any]:
        """Everything that another run would have to share."""
        kept = asdict(self.settings)
        for name in ("seed", "threads", "public", "shares", "vocab_file", "start_from", "same_homonym"):
            kept.pop(name)
        return kept

    def with_steps(self, steps: int) -> Race:
        warmup = min(SETTINGS.warmup, max(1, steps // 10))
        return Race(replace(self.settings, steps=steps, warmup=warmup))


def bert_config(settings: Settings, **changes: Any) -> BertConfig:
    """The model of training.settings.new_model, as a config."""
    fields = {
        "vocab_size": settings.vocab_size,
        "hidden_size": settings.hidden,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "intermediate_size": 4 * settings.hidden,
        "hidden_dropout_prob": settings.dropout,
        "attention_probs_dropout_prob": settings.dropout,
        "max_position_embeddings": settings.positions,
        "initializer_range": settings.start_std,
    }
    return BertConfig(**fields | changes)
