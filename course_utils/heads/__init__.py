"""What is put on top of BERT: the two pre-training tasks, and heads for classification, tagging,
spans and choices.

Each model holds a BertModel as `.bert` and returns an output with `.loss` (None without labels), its logits, and
what the BertModel returned (`.last_hidden_state`, `.pooler_output`, `.hidden_states`, `.attentions`).
"""

from course_utils.heads.base import HeadOutput
from course_utils.heads.choice import BertForMultipleChoice
from course_utils.heads.classification import BertForSequenceClassification, BertForTokenClassification
from course_utils.heads.losses import IGNORE
from course_utils.heads.masked_lm import BertForMaskedLM, MaskedLMHead
from course_utils.heads.next_sentence import BertForNextSentencePrediction
from course_utils.heads.pretraining import BertForPreTraining, PreTrainingOutput
from course_utils.heads.spans import BertForQuestionAnswering, SpanOutput
