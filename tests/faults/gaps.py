"""Known gaps: what does not keep to the contract yet, and why. Each is expected to fail, and struck when it does not.

A name alone is about values of the right kind, a name with "*" about values of another kind (None, a text, a list).
"""

# What meets Python's own TypeError or AttributeError, where it is given a value of another kind.
UNCHECKED = """
    before.stems.cut_sentence before.stems.split_words before.word2vec.keep_probability
    before.word2vec.negative_sampling_loss before.word2vec.noise_distribution
    before.word2vec.train_skip_gram before.word2vec.window_pairs bert.Pooler
    contextual.baselines.fit_naive_bayes contextual.measures.neighbour_accuracy
    contextual.measures.separation contextual.measures.similarities contextual.senses.fit_senses
    contextual.words.find_word contextual.words.occurrences datasets.batching.pad
    datasets.corpus.read_documents#absent datasets.corpus.sense_documents datasets.pretraining.corrupt
    datasets.pretraining.sentence_pairs datasets.vocabulary.train_vocabulary encoder.FeedForward
    exercises.exercises_of heads.masked_lm.MaskedLMHead interpretation.controls.shuffled_words
    interpretation.flow.rollout interpretation.patterns.head_patterns interpretation.patterns.mean_patterns
    locale.text pretrained.folder.load_pretrained#absent pretrained.name_map.reference_name
    tokenization.bpe.BPETokenizer tokenization.byte_bpe.ByteBPETokenizer tokenization.hangul.to_jamo
    tokenization.normalization.normalized_text tokenization.wordpiece.WordPieceTokenizer
    tokenization.wordpiece.WordPieceTokenizer#vocab tokenization.wordpiece.longest_match
    training.log.read_log training.optim.linear_rate training.optim.noam_rate training.text.split_documents
"""
GAPS: dict[str, str] = {
    "before.word2vec.keep_probability": "trusts its tensors and numbers",
    "before.word2vec.negative_sampling_loss": "trusts its tensors and numbers",
    "before.word2vec.train_skip_gram": "trusts its tensors and numbers",
    "before.word2vec.window_pairs": "trusts its tensors and numbers",
    "bert.Pooler": "a part of a model that checks for it",
    "checks.modules.check_same_module": "what the module itself raises goes through",
    "datasets.corpus.read_documents#absent": "the message of the operating system holds the whole path",
    "encoder.FeedForward": "a part of a model that checks for it",
    "exercises.exercises_of": "importlib's error goes through",
    "heads.masked_lm.MaskedLMHead": "a part of a model that checks for it",
    "interpretation.flow.rollout": "trusts its tensors",
    "locale.text": "for the course itself; its keys are in the code",
    "pretrained.folder.load_pretrained#absent": "the message names every place that was searched",
    "tokenization.bpe.BPETokenizer": "does not document its error, or says two sentences",
    "tokenization.wordpiece.WordPieceTokenizer#vocab": "does not document its error, or says two sentences",
    "training.log.read_log": "trusts its numbers, or says the whole path",
    "training.text.split_documents": "trusts its numbers, or says the whole path",
    **{f"{name}*": "a value of another kind meets Python's own error" for name in UNCHECKED.split()},
}

# Fails seldom: only the long profile finds it.
SELDOM: dict[str, str] = {
    "contextual.baselines.fit_naive_bayes": "trusts its tensors",
    "contextual.senses.fit_senses": "trusts its tensors",
    "interpretation.patterns.mean_patterns": "trusts its tensors",
}

# Public names that have no strategy yet: they need a model with its tokenizer, or files.
LATER = """
    before.subword.train_subword_skip_gram before.word2vec.step contextual.baselines.context_pieces
    contextual.baselines.placed_pieces
    contextual.evaluation.evaluate contextual.evaluation.held_out_sentences contextual.evaluation.judge
    contextual.evaluation.mistakes contextual.influence.influence contextual.senses.example_sentences
    contextual.senses.nearest_sense contextual.senses.sense_points contextual.senses.sense_space
    contextual.vectors.encode_words contextual.vectors.word_vectors datasets.batching.PretrainingBatches
    datasets.batching.encode_documents interpretation.ablation.head_effects
    interpretation.ablation.heads_off interpretation.ablation.masked_loss
    interpretation.ablation.measure_heads interpretation.controls.random_model
    interpretation.maps.attention_maps pretrained.folder.save_pretrained pretrained.sources.find_model
    pretrained.weights.verify training.checkpoint.load_checkpoint training.checkpoint.save_checkpoint
    training.fast.speed_up training.loop.train training.measures.measure training.start.new_model
    viz.bertviz_views.head_view viz.bertviz_views.model_view viz.bertviz_views.neuron_view
"""
