"""Fine-tune a classifier of texts, and ask it.

The recipe of Devlin et al. 2019 (A.3): every parameter is trained, AdamW, the rate rises over a tenth of the updates
and falls to 0. Beside it what later work found to help where labels are few: lower rates for lower layers (Howard and
Ruder 2018; layer_decay), and no fewer than so many updates, however few the labels (Mosbach et al. 2021; updates).

Letters: B batch, T tokens, K labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn
from torch.optim import AdamW

from course_utils.datasets.batching import batches_by_length, pad, seeded
from course_utils.heads import BertForSequenceClassification
from course_utils.training.device import device_of, fast_precision, inputs_on
from course_utils.training.loop import train
from course_utils.training.optim import adamw, linear_rate

Rows = Sequence[Sequence[int]]  # encoded texts, with [CLS] and [SEP]
WARMUP = 0.1  # of the updates


@dataclass(frozen=True)
class TextBatch:
    """B texts of T tokens."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T), 1 = real, 0 = padding
    labels: Tensor  # int64 (B,)

    def inputs(self) -> dict[str, Tensor]:
        """The fields as keyword arguments."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class TextBatches:
    """An endless stream of labelled texts, in an order drawn anew for each epoch: `stream(n)` is batch n.

    Args:
        rows: encoded texts.
        labels: of each, 0 … K−1.
        pad_id: id of [PAD].
        batch_size: texts a batch; the last one of an epoch may be smaller.
        seed: of the order.

    Raises:
        ValueError: without a row, or with another number of labels than rows.
    """

    def __init__(
        self, rows: Rows, labels: Sequence[int], *, pad_id: int, batch_size: int = 16, seed: int = 0
    ) -> None:
        if not rows or len(rows) != len(labels):
            raise ValueError(
                f"there must be a label for each row, and a row, got {len(rows)} rows and {len(labels)} labels"
            )
        self.rows, self.labels = rows, labels
        self.pad_id, self.batch_size, self.seed = pad_id, batch_size, seed
        self.batches_per_epoch = -(-len(rows) // batch_size)

    def __call__(self, number: int) -> TextBatch:
        """Batch `number`, counted from 0."""
        epoch, place = divmod(number, self.batches_per_epoch)
        order = torch.randperm(len(self.rows), generator=seeded(self.seed, epoch)).tolist()
        return self._batch(order[place * self.batch_size : (place + 1) * self.batch_size])

    def _batch(self, chosen: Sequence[int]) -> TextBatch:
        rows = [self.rows[number] for number in chosen]
        real = pad([[1] * len(row) for row in rows], 0)
        return TextBatch(
            pad(rows, self.pad_id), real, torch.tensor([self.labels[number] for number in chosen])
        )


def layered_adamw(model: BertForSequenceClassification, *, layer_decay: float = 1.0) -> AdamW:
    """AdamW whose rate falls from layer to layer: head, pooler and the last layer learn at the full rate, the layer
    below at `layer_decay` of it, the next at layer_decay², …, the embeddings at layer_decay^L.

    Source: Howard and Ruder 2018, section 3.2 (there 1/2.6); weight decay as in parameter_groups.
    """
    layers = model.bert.encoder.layers
    depth = {
        id(parameter): len(layers) for parameter in model.bert.embeddings.parameters()
    }  # below the last layer
    for below, layer in enumerate(reversed(layers)):
        depth |= {id(parameter): below for parameter in layer.parameters()}
    optimizer = adamw(model)
    groups: list[dict] = []
    for group in optimizer.param_groups:
        for below in range(len(layers) + 1):
            here = [parameter for parameter in group["params"] if depth.get(id(parameter), 0) == below]
            groups.append({**group, "params": here, "share": layer_decay**below})
    return AdamW([group for group in groups if group["params"]], fused=True)


def fine_tune(
    model: BertForSequenceClassification,
    batches: Callable[[int], TextBatch],
    *,
    updates: int,
    peak_rate: float,
    layer_decay: float = 1.0,
    dropout: float = 0.1,
    seed: int = 0,
) -> None:
    """Train every parameter in place; the model is left in eval mode.

    Args:
        model: with a head that is still at its start values.
        batches: gives a batch by its number, from 0.
        updates: how many; the rate rises over the first tenth of them and falls to 0 with the last.
        peak_rate: highest rate of the head and the last layer.
        layer_decay: see layered_adamw; 1 gives every layer the same rate.
        dropout: everywhere; a config that was saved after training without says 0.
        seed: of the dropout.

    Raises:
        ValueError: if updates is below 1.
        FloatingPointError: see loop.train.
    """
    if updates < 1:
        raise ValueError(f"updates must be at least 1, got {updates}")
    torch.manual_seed(seed)
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = dropout
    train(
        model,
        batches,
        layered_adamw(model, layer_decay=layer_decay),
        learning_rate=lambda step: linear_rate(step, peak_rate, round(WARMUP * updates), updates + 1),
        steps=updates,
        precision=fast_precision(device_of(model)),
    )
    model.eval()


@torch.no_grad()
def predict(
    model: BertForSequenceClassification, rows: Rows, *, pad_id: int, batch_size: int = 256
) -> Tensor:
    """The most probable label of each text. int64 (N,), in the order of the rows."""
    model.eval()
    answers = torch.empty(len(rows), dtype=torch.int64)
    device, precision = device_of(model), fast_precision(device_of(model))
    lengths = [len(row) for row in rows]
    for chosen in batches_by_length(lengths, batch_size, generator=seeded(0)):
        ids = pad([rows[number] for number in chosen], pad_id)
        inputs = inputs_on(device, {"input_ids": ids, "attention_mask": (ids != pad_id).long()})
        with torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32):
            answers[chosen] = model(**inputs).logits.argmax(-1).cpu()
    return answers
