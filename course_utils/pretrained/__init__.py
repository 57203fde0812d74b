"""Load and save BERT in the Hugging Face folder layout: config.json, vocab.txt or tokenizer.json, model.safetensors.

    model, tokenizer = load_pretrained("sentence-transformers/all-MiniLM-L6-v2")

Strict on purpose: every tensor of the file and of the model is accounted for, or an error names it. Only safetensors
are read. Not here: training state, other architectures, private models, other revisions than "main".
"""

from course_utils.pretrained.folder import load_pretrained, save_pretrained
from course_utils.pretrained.sources import MINILM
