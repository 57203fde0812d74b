"""GPT: the textbook's blocks with a causal mask, a language model, and a classifier that stays one.

Radford et al. 2018, "Improving language understanding by generative pre-training".

    pre-training     L1 = −Σ log p(u_i | u_1 … u_(i−1))                           eq. 1; here the mean over i
    fine-tuning      L3 = L2 + λ·L1,   L2 = −log softmax(h_last W_y)[y]           eq. 3 to 5, λ = 0.5

Not here: the byte pairs of the paper, its start, delimiter and extract tokens ([CLS] and [SEP] stand in their places),
pairs of texts and choices (its figure 1, right).

Letters: B batch, T tokens, C hidden size, H heads, L layers, V vocabulary, K labels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import torch.nn.functional as F
from torch import Generator, Tensor, nn

from course_utils.before.real_tokens import IGNORE, check_some_real, last_states, mean_loss, real_tokens
from course_utils.config import BertConfig
from course_utils.encoder import Encoder, EncoderOutput
from course_utils.initialization import init_weights
from course_utils.masks import causal_mask, combine_masks
from course_utils.positional import LearnedPositionEmbedding


class GPTOutput(NamedTuple):
    """What GPT returns."""

    loss: Tensor | None  # scalar; None without labels
    logits: Tensor  # (B, T, V); those at a token are of the token after it
    last_hidden_state: Tensor  # (B, T, C)
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, C); the first is what enters the first block
    attentions: tuple[Tensor, ...] | None  # L of (B, H, T, T), or None


class GPT(nn.Module):
    """The left-to-right language model (Radford et al. 2018, section 3.1, eq. 2).

        h_0 = token[u] + position        h_l = block(h_(l−1)), post-LN, tanh GELU        p = softmax(h_L tokenᵀ)

    A block is the textbook's EncoderLayer; what makes GPT of it is the mask: no token attends to one behind it. Beside
    BERT there are no segments, no LayerNorm after the embeddings, no layer between the last block and the scores, and
    no bias on these. transformers' OpenAIGPTLMHeadModel is the same function; it keeps each matrix transposed (Conv1D)
    and W^Q, W^K, W^V as one, adds −10,000 to scores of the future where we take them out, and has ε = 1e-5.

    Args:
        config: sizes, rates, ε and σ of the start values, as for a BERT. Its type_vocab_size is not used; hidden_act
            is taken as "gelu_tanh", whatever it says, as in GPT's code.
        generator: source of the random start values, N(0, initializer_range²).
    """

    def __init__(self, config: BertConfig, *, generator: Generator | None = None) -> None:
        super().__init__()
        self.config = replace(config, hidden_act="gelu_tanh")
        self.token = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position = LearnedPositionEmbedding(config.max_position_embeddings, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.encoder = Encoder(self.config)
        init_weights(self, std=config.initializer_range, generator=generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        output_attentions: bool = False,
    ) -> GPTOutput:
        """Scores of the token after each token, and with labels the loss.

        Args:
            input_ids: int32 or int64 (B, T), each in 0 … V−1; T at most max_position_embeddings.
            attention_mask: integer or bool (B, T), 1 = a real token, 0 = padding; None means that all are real.
            labels: int64 (B, T): input_ids itself, with −100 for tokens that nobody is to predict. They are shifted
                here: the score at t is held against the label at t + 1, where both tokens are real.
            output_attentions: also return the attention weights.

        Returns:
            GPTOutput. The loss is the mean over the tokens to predict, 0 where there are none.
        """
        encoded = self.encode(input_ids, attention_mask, output_attentions)
        logits = F.linear(encoded.last_hidden_state, self.token.weight)  # (B, T, V)
        loss = None
        if labels is not None:
            real = real_tokens(input_ids, attention_mask)
            targets = labels[:, 1:].masked_fill(~(real[:, 1:] & real[:, :-1]), IGNORE)  # (B, T − 1)
            loss = mean_loss(logits[:, :-1].flatten(0, 1), targets.flatten())
        return GPTOutput(loss, logits, *encoded)

    def encode(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, output_attentions: bool = False
    ) -> EncoderOutput:
        """`forward` without the scores: last_hidden_state, hidden_states, attentions."""
        real = real_tokens(input_ids, attention_mask)
        hidden = self.dropout(self.token(input_ids) + self.position(input_ids.shape[1]))  # (B, T, C)
        padding = None if attention_mask is None else real[:, None, None, :]  # (B, 1, 1, T)
        mask = combine_masks(causal_mask(input_ids.shape[1], device=input_ids.device), padding)
        return self.encoder(hidden, mask, output_attentions=output_attentions)


class GPTClassifierOutput(NamedTuple):
    """What GPTForClassification returns."""

    loss: Tensor | None  # scalar, task_loss + λ·lm_loss; None without labels, as the next two
    task_loss: Tensor | None
    lm_loss: Tensor | None
    logits: Tensor  # (B, K)
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, C)


class GPTForClassification(nn.Module):
    """One label for a text, from the vector of its last token, which alone has seen all of it (eq. 3 to 5).

        logits = h_last W_y        loss = cross-entropy(logits, label) + λ · (language-model loss of the same text)

    Args:
        config: see GPT; the dropout before W_y is hidden_dropout_prob.
        num_labels: K.
        lm_weight: λ, 0.5 in the paper (section 4.1); with 0 the language model is forgotten.
        generator: source of the random start values, first of the GPT, `gpt`, then of W_y.
    """

    def __init__(
        self,
        config: BertConfig,
        num_labels: int = 2,
        *,
        lm_weight: float = 0.5,
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        self.num_labels, self.lm_weight = num_labels, lm_weight
        self.gpt = GPT(config, generator=generator)
        self.config = self.gpt.config
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.classifier = nn.Linear(config.hidden_size, num_labels, bias=False)  # W_y; eq. 3 has no bias
        init_weights(self.classifier, std=config.initializer_range, generator=generator)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, labels: Tensor | None = None
    ) -> GPTClassifierOutput:
        """input_ids and attention_mask as GPT.forward, a real token in each row; labels int64 (B,), in 0 … K−1."""
        given = input_ids, attention_mask
        # Without labels nobody asks for (B, T, V) scores.
        lm = self.gpt.encode(*given) if labels is None else self.gpt(*given, input_ids)
        real = real_tokens(input_ids, attention_mask)
        check_some_real(real)
        logits = self.classifier(self.dropout(last_states(lm.last_hidden_state, real)))  # (B, K)
        if labels is None:
            return GPTClassifierOutput(None, None, None, logits, lm.hidden_states)
        task_loss = mean_loss(logits, labels)
        loss = task_loss + self.lm_weight * lm.loss
        return GPTClassifierOutput(loss, task_loss, lm.loss, logits, lm.hidden_states)
