"""What enters the encoder: token + segment + position, then LayerNorm and dropout (Devlin et al. 2019, figure 2).

Built by hand in notebook 10.
"""

from __future__ import annotations

from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.positional import LearnedPositionEmbedding
from course_utils.shapes import check_ids


class BertEmbeddings(nn.Module):
    """Three trained vectors per token, added and normalised.

        x_t = dropout(LayerNorm(token[input_ids_t] + segment[token_type_ids_t] + position[t]))

    Positions are counted 0 … T−1 from the left, whatever is padding: as in the paper's code. The LayerNorm is in
    that code too, though not in the paper's figure.

    Args:
        config: vocab_size, type_vocab_size, max_position_embeddings, hidden_size C, layer_norm_eps, dropout rate.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.token = nn.Embedding(config.vocab_size, config.hidden_size)
        self.segment = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.position = LearnedPositionEmbedding(config.max_position_embeddings, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """Look the vectors up and add them.

        Args:
            input_ids: int32 or int64 (B, T), each in 0 … V−1; T at most max_position_embeddings.
            token_type_ids: the same type and shape, the segment of each token (0 = A, 1 = B); None means all 0.

        Returns:
            float (B, T, C).
        """
        check_ids("input_ids", input_ids, self.token.num_embeddings)
        if token_type_ids is None:
            segment = self.segment.weight[0]  # (C,)
        else:
            check_ids("token_type_ids", token_type_ids, self.segment.num_embeddings)
            segment = self.segment(token_type_ids)  # (B, T, C)
        position = self.position(input_ids.shape[1])  # (T, C)
        return self.dropout(self.norm(self.token(input_ids) + segment + position))  # (B, T, C)
