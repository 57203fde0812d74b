"""Which of four endings fits a situation: the form of SWAG (Zellers et al. 2018; Devlin et al. 2019, section 4.4).

    [CLS] situation [SEP] ending [SEP]        four rows, a score each, softmax over the four, accuracy

data/situations.tsv was written for this course. The four situations of a subject have the same four endings, each right
once: whoever looks at endings alone is right in one of four, whatever they have learned, and so is chance.

A head on a BERT that stays as it is learns V alone, from each row's vector, which is computed once:

    score(ending) = V·pooled(situation, ending)        loss = −log softmax over the four of the right one

The encoder runs once over every row and not in every update: five seeds take seconds where fine-tuning takes minutes.

Letters: B or N situations, T tokens, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForMultipleChoice
from course_utils.heads.base import BertWithHead
from course_utils.tasks.data import ENDINGS, Situation, read_situations
from course_utils.tasks.metrics import accuracy
from course_utils.tasks.task import Example, Task, TaskBatch
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.training.device import device_of, fast_precision, inputs_on

GROUPS = 8  # of a forward pass, each of four rows
MAX_LENGTH = 64  # tokens of a row, special ones included


class Situations(Task):
    """Situations with endings, one of which is right; a batch is (B, 4, T)."""

    metric = "accuracy"
    model_class = BertForMultipleChoice

    def fits(self, source: Situation) -> bool:
        """Whether there are four endings, and one of them is right."""
        return len(source.endings) == len(ENDINGS) and 0 <= source.right < len(ENDINGS)

    def encode(self, source: Situation) -> list[Encoding]:
        """A row for each ending: [CLS] situation [SEP] ending [SEP], the longer one cut at its end."""
        return [
            self.tokenizer.encode(source.text, ending, max_length=self.max_length)
            for ending in source.endings
        ]

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """One score from the pooled [CLS] of a row."""
        return BertForMultipleChoice(config, generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """input_ids, attention_mask and token_type_ids (B, 4, T), labels (B,); see Task.batch."""
        rows = self._batch([row for example in examples for row in example.windows])
        texts = {name: one.unflatten(0, (-1, len(ENDINGS))) for name, one in rows.inputs().items()}
        right = torch.tensor([example.source.right for example in examples])
        return TaskBatch(**texts, labels={"labels": right})

    @torch.no_grad()
    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[int]:
        """The place of the ending with the highest score, of each; see Task.predict."""
        device, was_training = device_of(model), model.training
        precision, said = fast_precision(device), []
        model.eval()
        try:
            for start in range(0, len(examples), GROUPS):
                inputs = self.batch(examples[start : start + GROUPS]).inputs()
                del inputs["labels"]
                with torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32):
                    logits = model(**inputs_on(device, inputs)).logits  # (B, 4)
                said += logits.float().argmax(dim=-1).tolist()
        finally:
            model.train(was_training)
        return said

    def scores(self, predicted: Sequence[int], sources: Sequence[Situation]) -> dict[str, float]:
        return {"accuracy": accuracy(predicted, [source.right for source in sources])}


class EndingsAlone(Situations):
    """The control: the same choice without the situation, [CLS] ending [SEP]. What it learns is bias of the endings."""

    def encode(self, source: Situation) -> list[Encoding]:
        """A row for each ending, alone."""
        return [self.tokenizer.encode(ending, max_length=self.max_length) for ending in source.endings]


def load_situations(
    tokenizer: WordPieceTokenizer, *, parts: Mapping[str, Sequence[Situation]] | None = None
) -> Situations:
    """The task, for train.fine_tune.

    Args:
        tokenizer: that of the model.
        parts: "train", "validation" and "test" -> situations; None reads the file.
    """
    found = read_situations() if parts is None else parts
    return Situations("situations", found, tokenizer, max_length=MAX_LENGTH)


def load_endings(
    tokenizer: WordPieceTokenizer, *, parts: Mapping[str, Sequence[Situation]] | None = None
) -> EndingsAlone:
    """The control, with the same arguments as load_situations."""
    found = read_situations() if parts is None else parts
    return EndingsAlone("endings", found, tokenizer, max_length=MAX_LENGTH)


@torch.no_grad()
def choice_vectors(task: Situations, bert: BertModel, examples: Sequence[Example]) -> Tensor:
    """The pooled vector of each situation with each of its endings, in eval mode.

    Args:
        task: situations, or endings alone.
        bert: with a pooler; its mode is as before afterwards.
        examples: N of the task.

    Returns:
        float32 (N, 4, C).
    """
    was_training, vectors = bert.training, []
    bert.eval()
    try:
        for start in range(0, len(examples), GROUPS):
            batch = task.batch(examples[start : start + GROUPS])
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
    """
    if len(right) != len(vectors):
        raise ValueError(f"right must be one for each of {len(vectors)} vectors, got {len(right)}")
    generator, wanted = seeded(seed, 0), torch.as_tensor(right)
    head = nn.Linear(vectors.shape[-1], 1).to(vectors)
    with torch.no_grad():
        head.weight.copy_(0.02 * torch.randn(head.weight.shape, generator=generator))
        head.bias.zero_()
    optimizer = torch.optim.AdamW(head.parameters(), lr=rate, weight_decay=weight_decay)
    size = min(batch_size, len(vectors))
    for _ in range(updates):
        drawn = torch.randperm(len(vectors), generator=generator)[:size]
        loss = F.cross_entropy(head(vectors[drawn])[..., 0], wanted[drawn])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return head
