"""What came after BERT: each file is the difference to BERT and nothing else."""

from course_utils.after.albert import (
    AlbertConfig,
    AlbertForPreTraining,
    AlbertModel,
    AlbertOutput,
    SharedEncoder,
)
from course_utils.after.distilbert import DistilBertForMaskedLM, DistilBertModel
from course_utils.after.distillation import DistillationLoss, every_other_layer
from course_utils.after.electra import Electra, ElectraOutput
from course_utils.after.electra_parts import (
    ElectraConfig,
    ElectraDiscriminator,
    ElectraGenerator,
    ElectraModel,
)
from course_utils.after.factorized import FactorizedConfig, FactorizedEmbeddings, FactorizedMLMHead
from course_utils.after.layerwise import LayerwiseLoss
from course_utils.after.multitask import MultiTaskModel, shuffled_batches
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.after.roberta import (
    RobertaConfig,
    RobertaEmbeddings,
    RobertaModel,
    StaticMasks,
    full_sentences,
)
from course_utils.after.sentence_order import IN_ORDER, SWAPPED, sentence_order_pairs
from course_utils.after.soft_targets import cosine_loss, soft_target_loss
from course_utils.after.span_masks import (
    Spans,
    corrupt_spans,
    length_probabilities,
    mask_spans,
    span_lengths,
    tokens_of,
)
from course_utils.after.spanbert import BoundaryObjective, SpanBertForPreTraining, SpanBertOutput
from course_utils.after.tinybert import (
    attention_score_loss,
    attention_scores,
    hidden_loss,
    layer_map,
    prediction_loss,
)
