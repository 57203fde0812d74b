"""What came after BERT: each file is the difference to BERT and nothing else."""

from course_utils.after.albert import (
    AlbertConfig,
    AlbertForPreTraining,
    AlbertModel,
    AlbertOutput,
    SharedEncoder,
)
from course_utils.after.electra import Electra, ElectraOutput
from course_utils.after.electra_parts import (
    ElectraConfig,
    ElectraDiscriminator,
    ElectraGenerator,
    ElectraModel,
)
from course_utils.after.factorized import FactorizedConfig, FactorizedEmbeddings, FactorizedMLMHead
from course_utils.after.geometric import length_probabilities, span_lengths
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.after.roberta import (
    RobertaConfig,
    RobertaEmbeddings,
    RobertaModel,
    StaticMasks,
    full_sentences,
)
from course_utils.after.sentence_order import IN_ORDER, SWAPPED, sentence_order_pairs
from course_utils.after.span_corruption import corrupt_spans
from course_utils.after.spanbert import BoundaryObjective, SpanBertForPreTraining, SpanBertOutput
from course_utils.after.spans import Spans, mask_spans, tokens_of

__all__ = [
    "IN_ORDER",
    "SWAPPED",
    "AlbertConfig",
    "AlbertForPreTraining",
    "AlbertModel",
    "AlbertOutput",
    "BoundaryObjective",
    "Electra",
    "ElectraConfig",
    "ElectraDiscriminator",
    "ElectraGenerator",
    "ElectraModel",
    "ElectraOutput",
    "FactorizedConfig",
    "FactorizedEmbeddings",
    "FactorizedMLMHead",
    "RobertaConfig",
    "RobertaEmbeddings",
    "RobertaModel",
    "SharedEncoder",
    "SpanBertForPreTraining",
    "SpanBertOutput",
    "Spans",
    "StaticMasks",
    "corrupt_spans",
    "full_sentences",
    "length_probabilities",
    "mask_spans",
    "replaced",
    "sample_tokens",
    "sentence_order_pairs",
    "span_lengths",
    "tokens_of",
]
