"""The names of our tensors and of the reference's (Hugging Face `transformers`, BertModel and its heads)."""

from __future__ import annotations

import re

# Module by module, ours -> theirs; {} is the number of a layer. The last part of a name (weight, bias) is the same.
MODULES = {
    "embeddings.token": "embeddings.word_embeddings",
    "embeddings.segment": "embeddings.token_type_embeddings",
    "embeddings.position.embedding": "embeddings.position_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "encoder.layers.{}.attention.query": "encoder.layer.{}.attention.self.query",
    "encoder.layers.{}.attention.key": "encoder.layer.{}.attention.self.key",
    "encoder.layers.{}.attention.value": "encoder.layer.{}.attention.self.value",
    "encoder.layers.{}.attention.output": "encoder.layer.{}.attention.output.dense",
    "encoder.layers.{}.attention_norm": "encoder.layer.{}.attention.output.LayerNorm",
    "encoder.layers.{}.feed_forward.expand": "encoder.layer.{}.intermediate.dense",
    "encoder.layers.{}.feed_forward.contract": "encoder.layer.{}.output.dense",
    "encoder.layers.{}.feed_forward_norm": "encoder.layer.{}.output.LayerNorm",
    "pooler.dense": "pooler.dense",
    "mlm.dense": "cls.predictions.transform.dense",
    "mlm.norm": "cls.predictions.transform.LayerNorm",
    "mlm": "cls.predictions",  # its bias
    "nsp": "cls.seq_relationship",
    "classifier": "classifier",
    "span": "qa_outputs",
}

# Some files store the tied decoder a second time: copy -> original. Both must be equal.
COPIES = {
    "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}

# Not weights, but some files hold them: 0 … 511, which our model counts itself.
POSITION_IDS = "embeddings.position_ids"

OLD_KINDS = {"gamma": "weight", "beta": "bias"}  # of LayerNorm, in files of 2018

WRAPPERS = re.compile(r"^(?:_orig_mod\.|module\.)+")  # of torch.compile and DistributedDataParallel

# Parts that a model may lack: what BertModel(pooler=False) or a smaller head leaves out.
OPTIONAL_PARTS = ("pooler.", "cls.predictions.", "cls.seq_relationship.", "classifier.", "qa_outputs.")


def reference_name(ours: str) -> str:
    """Our name of a tensor -> the reference's, both without the "bert." that models with a head put in front."""
    module, _, kind = ours.removeprefix("bert.").rpartition(".")
    layer = re.search(r"\.(\d+)\.", module)
    if layer:
        module = module.replace(layer[0], ".{}.", 1)
    return f"{MODULES[module].format(layer[1] if layer else '')}.{kind}"


def plain_name(theirs: str) -> str:
    """A name as it stands in a file -> without "bert." or what a wrapper of torch puts before it, and with weight, bias
    for the gamma, beta of old files."""
    name = WRAPPERS.sub("", theirs).removeprefix("bert.")
    return re.sub(r"LayerNorm\.(gamma|beta)$", lambda old: f"LayerNorm.{OLD_KINDS[old[1]]}", name)


def stored_name(ours: str, *, has_head: bool) -> str:
    """The name under which a tensor of ours is saved: with "bert." for the inner part of a model with a head."""
    return ("bert." if has_head and ours.startswith("bert.") else "") + reference_name(ours)
