"""What came after BERT: each file is the difference to BERT and nothing else."""

from course_utils.after.albert import AlbertConfig, AlbertForPreTraining, AlbertModel
from course_utils.after.distilbert import DistilBertForMaskedLM
from course_utils.after.distillation import DistillationLoss, every_other_layer
from course_utils.after.electra import Electra
from course_utils.after.electra_parts import ElectraConfig, ElectraDiscriminator
from course_utils.after.factorized import FactorizedEmbeddings
from course_utils.after.layerwise import LayerwiseLoss
from course_utils.after.multitask import MultiTaskModel, shuffled_batches
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.after.roberta import RobertaConfig, RobertaModel, StaticMasks, full_sentences
from course_utils.after.sentence_order import sentence_order_pairs
from course_utils.after.soft_targets import cosine_loss, soft_target_loss
from course_utils.after.span_masks import corrupt_spans, mask_spans
from course_utils.after.spanbert import BoundaryObjective, SpanBertForPreTraining
from course_utils.after.tinybert import attention_score_loss, layer_map
