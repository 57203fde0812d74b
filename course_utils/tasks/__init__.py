"""Tasks that a pre-trained BERT is fine-tuned for."""
