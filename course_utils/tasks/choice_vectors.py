"""A head for choices on a BERT that stays as it is: each row's vector once, then V alone is learned.

    score(ending) = V·pooled(situation, ending)        loss = −log softmax over the four of the right one

The encoder runs once over every row and not in every update: five seeds take seconds where fine-tuning takes minutes.

Letters: N situations, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.shapes import check_floats
from course_utils.support.given import real_number, several, shown, whole_number
from course_utils.tasks.situations import GROUPS, Situations
from course_utils.tasks.task import Example


@torch.no_grad()
def choice_vectors(task: Situations, bert: BertModel, examples: Sequence[Example]) -> Tensor:
    """The pooled vector of each situation with each of its endings, in eval mode.

    Args:
        task: situations, or endings alone.
        bert: with a pooler; its mode is as before afterwards.
        examples: N of the task.

    Returns:
        float32 (N, 4, C).

    Raises:
        ValueError: if task is none such, bert has no pooler, or an example is none of the task.
    """
    if not isinstance(task, Situations):
        raise ValueError(f"task must be one of situations, got {shown(task)}")
    if not isinstance(bert, BertModel) or bert.pooler is None:
        raise ValueError(f"bert must be a BertModel with a pooler, got {shown(bert)}")
    found, was_training, vectors = task.check_examples(examples), bert.training, []
    bert.eval()
    try:
        for start in range(0, len(found), GROUPS):
            batch = task.batch(found[start : start + GROUPS])
            rows = [
                one.flatten(0, 1) for one in (batch.input_ids, batch.attention_mask, batch.token_type_ids)
            ]
            vectors.append(bert(*rows).pooler_output.unflatten(0, batch.input_ids.shape[:2]))  # (B, 4, C)
    finally:
        bert.train(was_training)
    return torch.cat(vectors).float()


def fit_choice(
    vectors: Tensor,
    right: Sequence[int],
    *,
    updates: int = 200,
    rate: float = 3e-3,
    weight_decay: float = 1.0,
    batch_size: int = 16,
    seed: int = 0,
) -> nn.Linear:
    """The head, C -> 1, learned with AdamW on vectors that stay as they are; its scores are head(vectors)[..., 0].

    Args:
        vectors: float (N, choices, C).
        right: the place of the right choice of each.
        updates, rate, weight_decay, batch_size: of AdamW.
        seed: of the start values, N(0, 0.02²), and of what is drawn for each update.

    Raises:
        ValueError: if vectors are no such tensor, there is not one place for each, or a number does not fit.
    """
    check_floats(vectors=vectors)
    if vectors.dim() != 3 or vectors.shape[1] < 2 or not vectors.numel():
        raise ValueError(f"vectors must be (N, choices, C), at least 2 choices, got {tuple(vectors.shape)}")
    places = [
        whole_number("each of right", place, least=0, most=vectors.shape[1] - 1)
        for place in several("right", right, "numbers")
    ]
    if len(places) != len(vectors):
        raise ValueError(f"right must be one for each of {len(vectors)} vectors, got {len(places)}")
    generator, wanted = seeded(whole_number("seed", seed, least=0), 0), torch.tensor(places)
    head = nn.Linear(vectors.shape[-1], 1).to(vectors)
    with torch.no_grad():
        head.weight.copy_(0.02 * torch.randn(head.weight.shape, generator=generator))
        head.bias.zero_()
    optimizer = torch.optim.AdamW(
        head.parameters(),
        lr=real_number("rate", rate),
        weight_decay=real_number("weight_decay", weight_decay),
    )
    size = min(whole_number("batch_size", batch_size), len(vectors))
    for _ in range(whole_number("updates", updates, most=10**5)):
        drawn = torch.randperm(len(vectors), generator=generator)[:size]
        loss = F.cross_entropy(head(vectors[drawn])[..., 0], wanted[drawn])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return head
