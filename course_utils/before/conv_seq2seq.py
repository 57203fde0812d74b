"""Translation by convolutions: no state, so all places are computed at once (Gehring et al. 2017).

A window of K tokens knows order only inside itself, so each token also gets the learned vector of its position.
L blocks see 1 + L·(K − 1) tokens. Each block is

    v = W [x_(t−…) ; … ; x_(t+…)] + b        a window of K vectors side by side -> 2·C
    GLU(v) = a ⊙ σ(g),  v = [a ; g]          one half decides how much of the other passes
    x ← (x + GLU(v)) · √½                    residual; √½ keeps the variance of a sum of two

The decoder's windows end at t: they see no later token. Each of its blocks has an attention of its own:
d_i = W_d h_i + b_d + g_i (h = GLU(v), g the embedding of the token just read), weights = softmax(d_i · z_j) over the
encoder's outputs z, and h_i becomes (h_i + c_i) · √½, c_i = √m · Σ_j weight_ij (z_j + e_j), e the source's embedding, m
its length.

Not here: weight normalisation, and the encoder's gradients scaled down by the number of attentions.

Letters: B batch, T_k tokens of the source, T_q of the target, C hidden size, V vocabulary, K window, L blocks.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.before.additive_attention import masked_softmax
from course_utils.before.gru_seq2seq import real_source
from course_utils.positional import LearnedPositionEmbedding

HALF = math.sqrt(0.5)
EMBEDDING_STD = 0.1  # Gehring et al. 2017, section 3.5


def glu(x: Tensor) -> Tensor:
    """Gated linear unit (Dauphin et al. 2017): half of the last axis times σ of the other half, (…, 2·C) -> (…, C)."""
    if x.shape[-1] % 2:  # halves of 2 and 1 would be multiplied as if they fitted
        raise ValueError(f"x must have an even last axis, got {tuple(x.shape)}")
    passes, gate = x.chunk(2, dim=-1)
    return passes * torch.sigmoid(gate)


class GatedConvolution(nn.Module):
    """A window over K tokens, then a gated linear unit; zeros stand before and behind the sentence.

    Args:
        hidden_size: C.
        window: K.
        before: how many of the K tokens stand before the place that is computed; K − 1 makes it causal.
        keep: the share of its inputs that dropout leaves; the start values are scaled by it (section 3.5).
    """

    def __init__(self, hidden_size: int, window: int, *, before: int, keep: float = 1.0) -> None:
        super().__init__()
        self.window, self.before = window, before
        self.linear = nn.Linear(window * hidden_size, 2 * hidden_size)
        variance = 4.0 * keep / (window * hidden_size)  # σ(g) ≈ ½ lets a quarter through
        nn.init.normal_(self.linear.weight, std=math.sqrt(variance))
        nn.init.zeros_(self.linear.bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """float (B, T, C) -> (B, T, C)."""
        after = self.window - 1 - self.before
        padded = F.pad(hidden_states, (0, 0, self.before, after))  # (B, T + K − 1, C)
        length = hidden_states.shape[1]
        windows = [padded[:, shift : shift + length] for shift in range(self.window)]
        return glu(self.linear(torch.cat(windows, dim=-1)))  # (B, T, K·C) -> (B, T, C)


class ConvSeq2Seq(nn.Module):
    """The convolutional encoder–decoder, called as seq2seq.Transformer is.

    Args:
        source_vocab_size, target_vocab_size: sizes of the two vocabularies.
        hidden_size: C.
        num_layers: L, blocks of the encoder, and as many of the decoder.
        window: K, odd, so that the encoder's is centred.
        max_length: the longest source and target; positions beyond it have no vector.
        dropout: probability with which a coordinate of an embedding or of a block's input is dropped in training.
        pad_token_id: stands behind shorter sentences, in source and target.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        hidden_size: int,
        num_layers: int = 2,
        window: int = 3,
        max_length: int = 128,
        dropout: float = 0.0,
        pad_token_id: int = 0,
    ) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.pad_token_id = pad_token_id
        self.source_embedding = nn.Embedding(source_vocab_size, hidden_size)
        self.target_embedding = nn.Embedding(target_vocab_size, hidden_size)
        self.source_positions = LearnedPositionEmbedding(max_length, hidden_size)
        self.target_positions = LearnedPositionEmbedding(max_length, hidden_size)
        keep = 1.0 - dropout
        centred, causal = (window - 1) // 2, window - 1
        self.encoder, self.decoder = (
            nn.ModuleList(
                GatedConvolution(hidden_size, window, before=before, keep=keep) for _ in range(num_layers)
            )
            for before in (centred, causal)
        )
        self.queries = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in self.decoder)  # W_d, b_d
        self.output = nn.Linear(hidden_size, target_vocab_size)
        for part in self.modules():
            if isinstance(part, nn.Embedding):
                nn.init.normal_(part.weight, std=EMBEDDING_STD)
        for part in (*self.queries, self.output):
            nn.init.normal_(part.weight, std=hidden_size**-0.5)
            nn.init.zeros_(part.bias)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Logits (B, T_q, V) of the token after each token of the target, as GRUSeq2Seq.forward."""
        real = real_source(source_ids, self.pad_token_id)  # (B, T_k)
        embedded, encoded = self.read(source_ids, real)
        values = (encoded + embedded) * real.sum(-1)[:, None, None].to(encoded.dtype).sqrt()  # √m (z + e)
        given = self.target_embedding(target_ids) + self.target_positions(target_ids.shape[1])
        given = self.dropout(given)  # (B, T_q, C): g
        hidden_states = given
        for convolution, query in zip(self.decoder, self.queries):
            passed = convolution(self.dropout(hidden_states))  # h
            scores = (query(passed) + given) @ encoded.transpose(1, 2)  # (B, T_q, T_k)
            context = masked_softmax(scores, real[:, None]) @ values  # (B, T_q, C)
            hidden_states = (hidden_states + (passed + context) * HALF) * HALF
        return self.output(self.dropout(hidden_states))  # (B, T_q, V)

    def read(self, source_ids: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """The source's embeddings e and the encoder's outputs z, both (B, T_k, C) and 0 at padding.

        So a window that reaches over the end meets zeros, whether the sentence ends there or the row.
        """
        there = real[:, :, None]  # (B, T_k, 1)
        embedded = self.source_embedding(source_ids) + self.source_positions(source_ids.shape[1])
        embedded = self.dropout(embedded) * there
        hidden_states = embedded
        for convolution in self.encoder:
            hidden_states = (hidden_states + convolution(self.dropout(hidden_states))) * HALF * there
        return embedded, hidden_states
