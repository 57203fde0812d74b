"""The heads that the course offers, by name: what the tests of the heads and of speed_up go through."""

HEADS = [
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
]
