"""Text, and what a model is pre-trained on: documents, masked words, sentence pairs, batches."""
