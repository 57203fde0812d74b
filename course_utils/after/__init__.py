"""What came after BERT: each file is the difference to BERT and nothing else."""

from course_utils.after.albert import (
    AlbertConfig,
    AlbertForPreTraining,
    AlbertModel,
    AlbertOutput,
    SharedEncoder,
)
from course_utils.after.electra import (
    Electra,
    ElectraConfig,
    ElectraDiscriminator,
    ElectraGenerator,
    ElectraModel,
    ElectraOutput,
)
from course_utils.after.factorized import FactorizedConfig, FactorizedEmbeddings, FactorizedMLMHead
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.after.sentence_order import IN_ORDER, SWAPPED, sentence_order_pairs

__all__ = [
    "IN_ORDER",
    "SWAPPED",
    "AlbertConfig",
    "AlbertForPreTraining",
    "AlbertModel",
    "AlbertOutput",
    "Electra",
    "ElectraConfig",
    "ElectraDiscriminator",
    "ElectraGenerator",
    "ElectraModel",
    "ElectraOutput",
    "FactorizedConfig",
    "FactorizedEmbeddings",
    "FactorizedMLMHead",
    "SharedEncoder",
    "replaced",
    "sample_tokens",
    "sentence_order_pairs",
]
