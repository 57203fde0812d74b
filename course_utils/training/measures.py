"""What a pre-training run is measured with: documents set aside, and the masked words and pairs that they ask."""

from __future__ import annotations

import torch
from torch import nn

from course_utils.datasets.batching import PretrainingBatches, seeded
from course_utils.datasets.pretraining import IGNORE
from course_utils.training.device import device_of, inputs_on


def split_documents(
    documents: list[list[str]], one_in: int, seed: int
) -> tuple[list[list[str]], list[list[str]]]:
    """Set one document in `one_in` aside, drawn from the seed; none where that is not even two.

    A single one would be no use: a wrong next sentence is drawn from another document.

    Args:
        documents: each a list of sentences.
        one_in: 0 sets none aside.
        seed: of the draw.

    Returns:
        those to learn from and those set aside, in their order.
    """
    if not one_in or len(documents) // one_in < 2:
        return documents, []
    order = torch.randperm(len(documents), generator=seeded(seed, one_in)).tolist()
    aside = set(order[: len(documents) // one_in])
    return (
        [document for number, document in enumerate(documents) if number not in aside],
        [document for number, document in enumerate(documents) if number in aside],
    )


@torch.no_grad()
def measure(model: nn.Module, batches: PretrainingBatches, *, most: int = 50) -> dict[str, float]:
    """Loss and accuracy on held-out text: of the chosen tokens, and of each next-sentence class.

    Args:
        model: a BertForPreTraining; put into eval mode and back.
        batches: the held-out stream; its first `most` batches are used, the same each time.
        most: number of batches.
    """
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
