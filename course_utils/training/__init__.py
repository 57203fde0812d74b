"""Training a model that is given: optimiser, schedule, loop, checkpoints, and the command that pre-trains a BERT."""
