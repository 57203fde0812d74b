"""RoBERTa: BERT's architecture, trained differently (Liu et al. 2019, section 4).

1. Masks drawn anew at each pass (PretrainingBatches does so); BERT's data held ten fixed copies (StaticMasks).
2. Rows filled with full sentences, across documents, and no next sentence prediction (full_sentences).
3. Larger batches, more text, longer training, a vocabulary of bytes (tokenization/byte_bpe.py): nothing to write here.

The published models also count positions from the padding id + 1 and have one segment only: RobertaModel.

Letters: B batch, T tokens, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.datasets.batching import Batch, PretrainingBatches
from course_utils.datasets.pretraining import Ids
from course_utils.embeddings import BertEmbeddings
from course_utils.support.given import whole_number

COPIES = (
    10  # Liu et al. 2019, section 4.1: ten masks of each row, 40 epochs, so each mask was seen four times
)


class StaticMasks:
    """A stream of batches that repeats its first `copies` epochs, masks and all.

    The whole difference to dynamic masks: batch n is number n mod (copies · batches an epoch) of the dynamic stream.

    Args:
        batches: the dynamic stream, see PretrainingBatches.
        copies: epochs until the masks come back.
    """

    def __init__(self, batches: PretrainingBatches, *, copies: int = COPIES) -> None:
        self.batches = batches
        self.batches_per_epoch = batches.batches_per_epoch
        self.period = copies * batches.batches_per_epoch

    def __call__(self, number: int) -> Batch:
        """Batch `number`, counted from 0."""
        return self.batches(number % self.period)


def full_sentences(documents: Sequence[Sequence[Ids]], *, room: int, separator_id: int) -> list[Ids]:
    """Pack whole sentences one behind the other, also across documents (Liu et al. 2019, section 4.2, FULL-SENTENCES).

    Args:
        documents: encoded sentences.
        room: tokens a row at most, [CLS] and the last [SEP] not counted. A longer sentence is cut.
        separator_id: id of the extra separator where a document ends inside a row.

    Returns:
        rows without [CLS] and the last [SEP]; as documents of one sentence each they are input of PretrainingBatches.
    """
    rows: list[Ids] = [[]]
    for document in documents:
        for place, sentence in enumerate(document):
            sentence = sentence[:room]
            extra = [separator_id] if place == 0 and rows[-1] else []
            if len(rows[-1]) + len(extra) + len(sentence) > room:
                rows.append([])
                extra = []
            rows[-1] = [*rows[-1], *extra, *sentence]
    return [row for row in rows if row]


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """Sizes of a published RoBERTa-base; positions 0 … pad_token_id are never used by a real token.

    Fields:
        pad_token_id: id of the padding, which tells where a token stands.
    """

    vocab_size: int = 50265
    max_position_embeddings: int = 514
    type_vocab_size: int = 1
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        last = min(self.vocab_size - 1, self.max_position_embeddings - 2)  # a position at least must be left
        padding = whole_number("pad_token_id", self.pad_token_id, least=0, most=last)
        object.__setattr__(self, "pad_token_id", padding)


class RobertaEmbeddings(BertEmbeddings):
    """BERT's embeddings with other position numbers: p + 1, p + 2, … for real tokens, p at padding, p the padding id.

    So padding on the left shifts nothing. (fairseq numbers positions so; the paper does not mention it.)

    Args:
        config: see RobertaConfig.
    """

    def __init__(self, config: RobertaConfig) -> None:
        super().__init__(config)
        self.pad_token_id = config.pad_token_id

    def position_ids(self, input_ids: Tensor) -> Tensor:
        """int (B, T): where each token stands. Raises ValueError if the row is too long."""
        real = (input_ids != self.pad_token_id).long()  # (B, T)
        longest = self.position.max_length - self.pad_token_id - 1
        if input_ids.shape[1] > longest:
            raise ValueError(f"input_ids may hold at most {longest} tokens a row, got {input_ids.shape[1]}")
        return real.cumsum(dim=1) * real + self.pad_token_id

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """As BertEmbeddings.forward: ids (B, T) -> (B, T, C)."""
        hidden = self.token(input_ids) + self.position.embedding(self.position_ids(input_ids))  # (B, T, C)
        if token_type_ids is None:
            return self.dropout(self.norm(hidden + self.segment.weight[0]))
        return self.dropout(self.norm(hidden + self.segment(token_type_ids)))


class RobertaModel(BertModel):
    """A BertModel whose positions are counted RoBERTa's way; takes and returns what BertModel does."""

    embeddings_class = RobertaEmbeddings
