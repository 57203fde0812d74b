"""What is put on top of BERT: the two pre-training tasks, and heads for classification, tagging and spans.

Each model holds a BertModel as `.bert` and returns an output with `.loss` (None without labels), its logits, and
what the BertModel returned (`.last_hidden_state`, `.pooler_output`, `.hidden_states`, `.attentions`).

Letters: B batch, T tokens, C hidden_size, V vocabulary, K labels, M positions chosen for prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.activations import ACTIVATIONS
from course_utils.bert import BertModel, BertOutput
from course_utils.config import BertConfig
from course_utils.dropout import Dropout
from course_utils.initialization import init_weights

IGNORE = -100  # a label that means "nothing to predict here"; torch's cross_entropy has the same default


@dataclass(frozen=True)
class HeadOutput:
    """What every model of this file returns; `logits` differ from head to head."""

    loss: Tensor | None  # scalar
    logits: Tensor
    encoded: BertOutput

    @property
    def last_hidden_state(self) -> Tensor:
        """(B, T, C)."""
        return self.encoded.last_hidden_state

    @property
    def pooler_output(self) -> Tensor | None:
        """(B, C), or None."""
        return self.encoded.pooler_output

    @property
    def hidden_states(self) -> tuple[Tensor, ...]:
        """L + 1 of (B, T, C)."""
        return self.encoded.hidden_states

    @property
    def attentions(self) -> tuple[Tensor, ...] | None:
        """L of (B, H, T, T), or None."""
        return self.encoded.attentions


@dataclass(frozen=True)
class PreTrainingOutput(HeadOutput):
    """`logits` are those over the vocabulary."""

    seq_relationship_logits: Tensor  # (B, 2)
    mlm_loss: Tensor | None = None  # scalars, the two parts of the loss
    nsp_loss: Tensor | None = None

    @property
    def prediction_logits(self) -> Tensor:
        """(B, T, V), or (M, V) when labels were given."""
        return self.logits


@dataclass(frozen=True)
class SpanOutput(HeadOutput):
    """`logits` (B, T, 2): how well each token begins, and how well it ends, the span."""

    @property
    def start_logits(self) -> Tensor:
        """(B, T)."""
        return self.logits[..., 0]

    @property
    def end_logits(self) -> Tensor:
        """(B, T)."""
        return self.logits[..., 1]


class MaskedLMHead(nn.Module):
    """Scores of every vocabulary entry at a position: LayerNorm(act(W h + b)) Eᵀ + bias.

    E is the token embedding itself, given to `forward`: the decoder is tied, it owns nothing but a free bias of V
    numbers (google-research/bert, run_pretraining.py: get_masked_lm_output).

    Args:
        config: hidden_size C, vocab_size V, hidden_act, layer_norm_eps.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states: Tensor, token_embedding: Tensor) -> Tensor:
        """(…, C) and the embedding matrix (V, C) -> (…, V)."""
        transformed = self.norm(self.activation(self.dense(hidden_states)))
        return F.linear(transformed, token_embedding, self.bias)


class _BertWithHead(nn.Module):
    """A BertModel and, in the subclass, a head on it."""

    needs_pooler = True

    def __init__(self, config: BertConfig, generator: torch.Generator | None) -> None:
        super().__init__()
        self.config = config
        self.bert = BertModel(config, pooler=self.needs_pooler, generator=generator)

    def _start(self, head: nn.Module, generator: torch.Generator | None) -> nn.Module:
        """Give a head its random start values."""
        init_weights(head, std=self.config.initializer_range, generator=generator)
        return head


class BertForPreTraining(_BertWithHead):
    """The model of pre-training: masked language model and next sentence prediction (Devlin et al. 2019, section 3.1).

        loss = mean over the M chosen positions of −log p(token)  +  mean over the batch of −log p(is next?)

    Args:
        config: see BertConfig.
        generator: source of the random start values.
    """

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__(config, generator)
        self.mlm = self._start(MaskedLMHead(config), generator)
        self.nsp = self._start(nn.Linear(config.hidden_size, 2), generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        labels: Tensor | None = None,
        next_sentence_label: Tensor | None = None,
    ) -> PreTrainingOutput:
        """As BertModel.forward, then both heads.

        Args:
            input_ids, attention_mask, token_type_ids, output_attentions: see BertModel.forward.
            labels: int64 (B, T), the true token where one is to be predicted and −100 elsewhere. When given, the
                decoder runs on those M positions only: prediction_logits are (M, V), in reading order.
            next_sentence_label: int64 (B,), **0 = B is the next sentence, 1 = B is a random one** (as in the
                paper's code; other code means the opposite).

        Returns:
            PreTrainingOutput; its loss is the sum of those whose labels were given.

        Raises:
            ValueError: if a shape, a type, an id or a label does not fit.
        """
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits, mlm_loss = _masked_lm(self.mlm, self.bert, encoded, labels)
        is_next = self.nsp(encoded.pooler_output)  # (B, 2)
        nsp_loss = _class_loss(is_next, next_sentence_label, "next_sentence_label")
        given = [loss for loss in (mlm_loss, nsp_loss) if loss is not None]
        return PreTrainingOutput(
            sum(given) if given else None, logits, encoded, is_next, mlm_loss=mlm_loss, nsp_loss=nsp_loss
        )


class BertForMaskedLM(_BertWithHead):
    """The masked language model alone.

    Args:
        config: see BertConfig.
        generator: source of the random start values.
    """

    needs_pooler = False

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__(config, generator)
        self.mlm = self._start(MaskedLMHead(config), generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        labels: Tensor | None = None,
    ) -> HeadOutput:
        """As BertForPreTraining.forward; logits (B, T, V), or (M, V) when labels are given."""
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits, loss = _masked_lm(self.mlm, self.bert, encoded, labels)
        return HeadOutput(loss, logits, encoded)


class BertForNextSentencePrediction(_BertWithHead):
    """Next sentence prediction alone: does B follow A?

    Args:
        config: see BertConfig.
        generator: source of the random start values.
    """

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__(config, generator)
        self.nsp = self._start(nn.Linear(config.hidden_size, 2), generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        next_sentence_label: Tensor | None = None,
    ) -> HeadOutput:
        """As BertForPreTraining.forward; logits (B, 2), 0 = next, 1 = random."""
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits = self.nsp(encoded.pooler_output)  # (B, 2)
        return HeadOutput(_class_loss(logits, next_sentence_label, "next_sentence_label"), logits, encoded)


class _Classifier(_BertWithHead):
    """A BertModel, dropout and one linear layer to K labels.

    Args:
        config: see BertConfig; the dropout before the layer is hidden_dropout_prob.
        num_labels: K, at least 1.
        generator: source of the random start values.

    Raises:
        ValueError: if num_labels is smaller than 1.
    """

    def __init__(
        self, config: BertConfig, num_labels: int = 2, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__(config, generator)
        if num_labels < 1:
            raise ValueError(f"num_labels must be at least 1, got {num_labels}")
        self.num_labels = num_labels
        self.dropout = Dropout(config.hidden_dropout_prob)
        self.classifier = self._start(nn.Linear(config.hidden_size, num_labels), generator)


class BertForSequenceClassification(_Classifier):
    """One label for a text or a pair of texts, from the pooled [CLS] (Devlin et al. 2019, figure 4 a, b)."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        labels: Tensor | None = None,
    ) -> HeadOutput:
        """As BertModel.forward; labels int64 (B,), logits (B, K)."""
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits = self.classifier(self.dropout(encoded.pooler_output))  # (B, K)
        return HeadOutput(_class_loss(logits, labels, "labels"), logits, encoded)


class BertForTokenClassification(_Classifier):
    """One label for every token (Devlin et al. 2019, figure 4 d)."""

    needs_pooler = False

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        labels: Tensor | None = None,
    ) -> HeadOutput:
        """As BertModel.forward; labels int64 (B, T), −100 where none is wanted; logits (B, T, K)."""
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits = self.classifier(self.dropout(encoded.last_hidden_state))  # (B, T, K)
        return HeadOutput(_class_loss(logits, labels, "labels", ignore=True), logits, encoded)


class BertForQuestionAnswering(_BertWithHead):
    """Where the answer begins and where it ends (Devlin et al. 2019, section 4.2).

        p(begin = t) = softmax_t(S·h_t)        p(end = t) = softmax_t(E·h_t)        loss: the mean of both

    Args:
        config: see BertConfig.
        generator: source of the random start values.
    """

    needs_pooler = False

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__(config, generator)
        self.span = self._start(nn.Linear(config.hidden_size, 2), generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        *,
        start_positions: Tensor | None = None,
        end_positions: Tensor | None = None,
    ) -> SpanOutput:
        """As BertModel.forward; positions int64 (B,), each in 0 … T−1, both or neither.

        Raises:
            ValueError: also if only one of the two is given.
        """
        if (start_positions is None) != (end_positions is None):
            raise ValueError("start_positions and end_positions must be given together, got only one")
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        logits = self.span(encoded.last_hidden_state)  # (B, T, 2)
        start_loss = _class_loss(logits[..., 0], start_positions, "start_positions")
        end_loss = _class_loss(logits[..., 1], end_positions, "end_positions")
        loss = None if start_loss is None else (start_loss + end_loss) / 2
        return SpanOutput(loss, logits, encoded)


def _masked_lm(
    head: MaskedLMHead, bert: BertModel, encoded: BertOutput, labels: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    """Logits (B, T, V) and no loss; or, with labels, logits (M, V) and the mean loss over the M chosen positions."""
    hidden, embedding = encoded.last_hidden_state, bert.embeddings.token.weight
    if labels is None:
        return head(hidden, embedding), None  # (B, T, V)
    _check_labels("labels", labels, hidden.shape[:2], embedding.shape[0], ignore=True)
    chosen = labels != IGNORE  # (B, T)
    logits = head(hidden[chosen], embedding)  # (M, V)
    # Without any chosen position the loss is 0, as in the paper's code, and not 0/0.
    total = F.cross_entropy(logits, labels[chosen], reduction="sum")
    return logits, total / max(len(logits), 1)


def _class_loss(logits: Tensor, labels: Tensor | None, name: str, *, ignore: bool = False) -> Tensor | None:
    """Mean cross-entropy of logits (…, K) against labels (…), or None without labels."""
    if labels is None:
        return None
    if logits.shape[-1] < 2:
        raise ValueError(f"a loss needs at least 2 labels to choose from, got {logits.shape[-1]}")
    _check_labels(name, labels, logits.shape[:-1], logits.shape[-1], ignore=ignore)
    total = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORE, reduction="sum")
    return total / (labels != IGNORE).sum().clamp(min=1)


def _check_labels(name: str, labels: Tensor, shape: torch.Size, count: int, *, ignore: bool) -> None:
    """Refuse labels of another shape or type, or beyond 0 … count−1 (−100 apart, where `ignore` allows it)."""
    if labels.shape != shape or labels.dtype != torch.int64:
        raise ValueError(
            f"{name} must be int64 of shape {tuple(shape)}, got {labels.dtype} {tuple(labels.shape)}"
        )
    wrong = (labels < 0) | (labels >= count)
    if ignore:
        wrong &= labels != IGNORE
    if wrong.any():
        also = f" or be {IGNORE} (ignored)" if ignore else ""
        raise ValueError(f"{name} must lie in 0 … {count - 1}{also}, got {int(labels[wrong][0])}")
