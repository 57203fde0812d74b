"""A language model of both directions, side by side: ELMo's biLM.

    forward    p(u_t | u_1 … u_(t−1))         backward   p(u_t | u_(t+1) … u_T)
    loss     = forward loss + backward loss                                    (Peters et al. 2018, section 3.1)
    h_0 = [x; x],   h_l = [→h_l; ←h_l]                                          what ScalarMix mixes (section 3.2)

A token's vector has seen both sides, but no layer has seen both at once: that is what "shallow" means, and what
BERT's blanks were made for.

Letters: B batch, T tokens, C hidden size, L layers, V vocabulary.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from course_utils.before.lstm_lm import LSTMStack, WordsAndSoftmax, turned
from course_utils.before.real_tokens import check_right_padding, mean_loss, real_tokens
from course_utils.config import BertConfig


class BiLMOutput(NamedTuple):
    """What BiLM returns."""

    loss: Tensor  # scalar, the sum of the two
    forward_loss: Tensor
    backward_loss: Tensor
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, 2·C), the forward half first; [0] knows no context

    @property
    def last_hidden_state(self) -> Tensor:
        """(B, T, 2·C)."""
        return self.hidden_states[-1]


class BiLM(nn.Module):
    """ELMo's biLM: two one-way LSTMs that share the words' vectors and the softmax (Peters et al. 2018, section 3.1).

    Args:
        vocab_size: V, the words to be predicted.
        hidden_size: C, of the words and of each direction.
        num_layers: L, 2 in ELMo.
        dropout: probability with which a coordinate of an LSTM layer's input is dropped in training.
        generator: source of the random start values.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        self.ends = WordsAndSoftmax(vocab_size, hidden_size, generator=generator)
        self.forwards = LSTMStack(hidden_size, num_layers, dropout=dropout, generator=generator)
        self.backwards = LSTMStack(hidden_size, num_layers, dropout=dropout, generator=generator)

    @classmethod
    def from_config(cls, config: BertConfig, *, generator: Generator | None = None) -> BiLM:
        """One of a BERT's sizes: V, C, L and hidden_dropout_prob; `config` is kept, as BertModel does.

        `contextual.word_vectors` then reads it as it reads a BERT: pieces of the same tokenizer, vectors of 2·C.
        """
        model = cls(
            config.vocab_size,
            config.hidden_size,
            config.num_hidden_layers,
            dropout=config.hidden_dropout_prob,
            generator=generator,
        )
        model.config = config
        return model

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> BiLMOutput:
        """Read a batch from both ends.

        Args:
            input_ids: int32 or int64 (B, T), what is read and what is to be predicted.
            attention_mask: integer or bool (B, T), 1 = a real token, 0 = padding, which stands behind the real ones.

        Returns:
            BiLMOutput. Each loss is the mean of −log p over its real targets: all but the first token of a row
            forward, all but the last one backward; 0 without any.
        """
        token = self.ends.words(input_ids)  # (B, T, C)
        real = check_right_padding(real_tokens(input_ids, attention_mask))
        forwards = self.forwards(token)
        backwards = tuple(turned(state, real) for state in self.backwards(turned(token, real)))
        chosen = real[:, 1:]  # pairs of neighbours that are both real
        ahead, back = forwards[-1][:, :-1][chosen], backwards[-1][:, 1:][chosen]  # (M, C) each
        losses = (  # one after the other: without gradients, one (M, V) of scores is kept at a time
            mean_loss(self.ends.softmax(ahead), input_ids[:, 1:][chosen]),  # the token after
            mean_loss(self.ends.softmax(back), input_ids[:, :-1][chosen]),  # the token before
        )
        states = [torch.cat(pair, dim=-1) for pair in zip((token, *forwards), (token, *backwards))]
        return BiLMOutput(losses[0] + losses[1], *losses, tuple(states))

    def logits(self, last_hidden_state: Tensor) -> tuple[Tensor, Tensor]:
        """From (B, T, 2·C) to the scores of the token after each token and of the token before it, both (B, T, V)."""
        ahead, back = last_hidden_state.chunk(2, dim=-1)  # (B, T, C) each
        return self.ends.softmax(ahead), self.ends.softmax(back)
