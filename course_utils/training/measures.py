"""What a pre-training run minimises, and what it writes down: the objective, a tally of losses, held-out measures."""

from __future__ import annotations

import time
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from course_utils.datasets.batching import Batch, PretrainingBatches
from course_utils.datasets.pretraining import IGNORE
from course_utils.support.given import shown, whole_number
from course_utils.training.device import device_of, inputs_on


def objective(output: Any, batch: Batch, *, world: int = 1) -> Tensor:
    """What this process minimises: its share of the loss of the whole batch.

    DDP averages gradients over the W processes. The losses are means over what each process holds, and one may hold
    more chosen tokens than another: so each mean is weighted by W · (own number) / (number of all).

    Args:
        output: a PreTrainingOutput.
        batch: what the model was given.
        world: number of processes W.

    Returns:
        scalar.
    """
    shares = torch.ones(2)
    if world > 1:
        pairs = 0 if batch.next_sentence_label is None else len(batch.input_ids)
        own = torch.tensor([(batch.labels != IGNORE).sum(), pairs], dtype=torch.float32)
        total = own.clone()
        dist.all_reduce(total)
        shares = world * own / total.clamp(min=1)
    loss = output.mlm_loss * shares[0]
    return loss if output.nsp_loss is None else loss + output.nsp_loss * shares[1]


class Tally:
    """Sums over the updates since the last record, of all processes together."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.sums = torch.zeros(5, dtype=torch.float64)
        self.since = time.perf_counter()

    def add(self, output: Any, batch: Batch) -> None:
        """Count one update: a PreTrainingOutput and its batch."""
        chosen = int((batch.labels != IGNORE).sum())
        pairs = 0 if output.nsp_loss is None else len(batch.input_ids)
        next_sentence = 0.0 if output.nsp_loss is None else output.nsp_loss.item()
        self.sums += torch.tensor(
            [
                output.mlm_loss.item() * chosen,
                chosen,
                next_sentence * pairs,
                pairs,
                int(batch.attention_mask.sum()),
            ],
            dtype=torch.float64,
        )

    def record(self) -> dict[str, float]:
        """Mean loss a chosen token and a pair (none seen: left out), tokens a second; then begin anew.

        With several processes all must call it.
        """
        if dist.is_initialized():
            dist.all_reduce(self.sums)
        mlm, chosen, next_sentence, pairs, tokens = self.sums.tolist()
        record = {"mlm_loss": mlm / max(chosen, 1)}
        if pairs:
            record["nsp_loss"] = next_sentence / pairs
        record["tokens_per_second"] = tokens / (time.perf_counter() - self.since)
        self._clear()
        return record


@torch.no_grad()
def measure(model: nn.Module, batches: PretrainingBatches, *, most: int = 50) -> dict[str, float]:
    """Loss and accuracy on held-out text: of the chosen tokens, and of each next-sentence class.

    Args:
        model: a BertForPreTraining; put into eval mode and back.
        batches: the held-out stream; its first `most` batches are used, the same each time.
        most: number of batches.

    Raises:
        ValueError: if model or batches are not such, or most is below 1.
    """
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {shown(model)}")
    if not (callable(batches) and hasattr(batches, "batches_per_epoch")):
        raise ValueError(f"batches must be PretrainingBatches, got {shown(batches)}")
    most = whole_number("most", most)
    training = model.training
    model.eval()
    loss, right, count = 0.0, 0, 0
    classes = torch.zeros(2, 2)  # (label, answer)
    for number in range(min(most, batches.batches_per_epoch)):
        batch = batches(number)
        output = model(**inputs_on(device_of(model), batch.inputs()))
        labels = batch.labels[batch.labels != IGNORE]
        loss += float(output.mlm_loss) * len(labels)
        right += int((output.logits.argmax(-1).cpu() == labels).sum())
        count += len(labels)
        if batch.next_sentence_label is not None:
            answers = output.seq_relationship_logits.argmax(-1)
            for label, answer in zip(batch.next_sentence_label.tolist(), answers.tolist()):
                classes[label, answer] += 1
    model.train(training)
    shares = classes.diag() / classes.sum(1).clamp(min=1)
    return {
        "held_out_mlm_loss": loss / max(count, 1),
        "held_out_mlm_accuracy": right / max(count, 1),
        "held_out_next_accuracy": shares[0].item(),
        "held_out_not_next_accuracy": shares[1].item(),
    }
