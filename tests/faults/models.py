"""What needs a model with its tokenizer, or a file: tiny ones, made once a process.

What a function changes because that is its work (a model it trains, a table it steps on) is given to it as a copy.
"""

from __future__ import annotations

import copy
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from course_utils import contextual, interpretation
from course_utils.before import subword, word2vec
from course_utils.config import BertConfig
from course_utils.contextual import baselines, evaluation, senses, vectors
from course_utils.contextual.influence import influence
from course_utils.datasets.batching import Batch, PretrainingBatches, encode_documents
from course_utils.encoder import PreLNEncoder
from course_utils.heads import BertForPreTraining
from course_utils.interpretation import ablation
from course_utils.pretrained import save_pretrained
from course_utils.pretrained.sources import find_model
from course_utils.pretrained.weights import verify
from course_utils.tasks import sorting
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training import checkpoint, fast, loop, measures, start, text, unpadded
from course_utils.training.settings import Settings
from course_utils.viz import bertviz_views
from tests.faults.registry import case
from tests.faults.strategies import Kept, generator
from tests.faults.words import SENTENCES, vocab

WORD, SENSES = "다리", ("leg", "bridge")
LEG, BRIDGE = ["다리가 아프다.", "긴 다리로 뛰었다."], ["강에 다리를 놓았다.", "다리를 건너 갔다."]
CONFIG = BertConfig(
    vocab_size=14,
    hidden_size=6,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=7,
    max_position_embeddings=61,
)


@cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer(vocab(), lowercase=False, strip_accents=False)


@cache
def model() -> BertForPreTraining:
    return BertForPreTraining(CONFIG, generator=generator()).eval()


@cache
def optimizer() -> torch.optim.Optimizer:
    return torch.optim.SGD(model().parameters(), lr=0.1)


@cache
def stream() -> PretrainingBatches:
    documents = encode_documents([SENTENCES, SENTENCES[::-1]], tokenizer())
    return PretrainingBatches(documents, tokenizer(), batch_size=3, mask_rate=0.5)


def both() -> dict[str, Any]:
    return {"model": model(), "tokenizer": tokenizer()}


def question(**more: Any) -> dict[str, Any]:
    """What asks for the vectors of a word."""
    return both() | {"sentence": LEG[0], "word": WORD, "occurrence": 0} | more


def groups() -> dict[str, list[str]]:
    return dict(zip(SENSES, ([*LEG], [*BRIDGE])))


# --- vectors and senses ------------------------------------------------------------------------------------------

PIECES = {"sentence": SENTENCES[0], "word": "배"}
case(baselines.context_pieces, lambda: {"tokenizer": tokenizer(), **PIECES})
case(baselines.placed_pieces, lambda: {"tokenizer": tokenizer(), **PIECES, "reach": 2})
case(contextual.word_vectors, question)
case(vectors.encode_words, lambda: both() | {"sentences": [*LEG], "word": WORD, "masked": True})
case(senses.sense_points, lambda: both() | {"sentences": [*LEG], "word": WORD, "layer": 1, "occurrence": 0})
case(senses.example_sentences, lambda: {"word": WORD, "sense": "leg", "most": 3})
case(senses.sense_space, lambda: both() | {"word": WORD, "layer": 1})
case(contextual.nearest_sense, lambda: question(layer=1))
case(influence, lambda: question(sense="leg"))
case(evaluation.held_out_sentences, dict)
case(evaluation.half, lambda: {"held_out": {WORD: groups()}, "validation": True})
case(evaluation.judge, lambda: both() | {"word": WORD, "groups": groups(), "layer": 1})
case(
    evaluation.evaluate,
    lambda: both() | {"held_out": {WORD: groups()}, "static": None},
    call=lambda held_out, **given: evaluation.evaluate(
        **given, held_out=[] if held_out is None else held_out
    ),
    few=True,  # and without held_out for minutes: None means all of data/senses.json
)
RESULT = evaluation.WordResult(
    WORD,
    (evaluation.Judgement(WORD, LEG[0], "leg", (("bridge", 0.7), ("leg", 0.3))),),
    1.0,
    0.1,
    1.0,
    1.0,
    None,
)
case(evaluation.mistakes, lambda: {"results": [RESULT]})

# --- heads -------------------------------------------------------------------------------------------------------


def switched_off(model: Any, heads: Any) -> None:
    with ablation.heads_off(model, heads):
        pass


def batches() -> list[Batch]:
    return [stream()(0)]


case(ablation.heads_off, lambda: {"model": model(), "heads": [(0, 0), (0, 1)]}, call=switched_off)
case(ablation.measure_heads, lambda: {"model": model(), "measure": lambda: [0.5, 2.0]})
case(ablation.masked_loss, lambda: {"model": model(), "batches": batches()})
case(
    ablation.head_effects,
    lambda: both() | {"batches": batches(), "word": WORD, "held_out": groups()},
    few=True,
)
case(interpretation.random_model, lambda: {"model": model(), "generator": Kept(generator())})
case(interpretation.attention_maps, lambda: both() | {"sentence": SENTENCES[0], "pair": SENTENCES[1]})

# --- training ----------------------------------------------------------------------------------------------------

case(
    PretrainingBatches,
    lambda: {
        "documents": [[[5, 6], [7]], [[8, 9], [10]]],
        "tokenizer": tokenizer(),
        "batch_size": 2,
        "max_length": 7,
        "mask_rate": 0.5,
        "same_homonym": 0.5,
        "seed": 1,
    },
    call=lambda **given: PretrainingBatches(**given)(0),
)
case(encode_documents, lambda: {"documents": [list(SENTENCES)], "tokenizer": tokenizer()})
case(
    subword.train_subword_skip_gram,
    lambda: {
        "sentences": [text.split() for text in SENTENCES * 3],
        "dimensions": 3,
        "window": 2,
        "negatives": 2,
        "epochs": 1,
        "min_count": 1,
        "generator": Kept(generator()),
    },
)
case(
    word2vec.step,
    lambda: {
        "table": torch.randn(5, 3),
        "context_vectors": torch.randn(4, 3),
        "centres": torch.tensor([[0], [1]]),
        "others": torch.tensor([[1, 2], [0, 3]]),
        "rate": 0.1,
    },
    call=lambda **given: word2vec.step(**copies(given)),
)
case(
    loop.train,
    lambda: {
        "model": model(),
        "batches": stream(),
        "optimizer": optimizer(),
        "learning_rate": lambda step: 0.1,
        "steps": Kept(1),  # as many as are asked for
        "start": 0,
        "clip": 1.0,
        "precision": torch.float32,
        "after_step": lambda step: None,
    },
    call=lambda model, **given: loop.train(copy.deepcopy(model), **given),
    few=True,
)
case(sorting.random_rows, lambda: {"count": 3, "generator": Kept(generator())})
case(
    sorting.Sorter,
    lambda: {
        "stack": Kept(PreLNEncoder),
        "depth": 1,
        "width": 8,
        "start_std": 0.1,
        "input_ids": torch.tensor([[3, 15, 0], [7, 7, 2]]),
    },
    call=lambda input_ids, **given: sorting.Sorter(**given, generator=generator())(input_ids),
    also=(sorting.Sorter.forward,),
)
case(
    sorting.sorting_loss,
    lambda: {
        "logits": torch.randn(2, sorting.LENGTH, sorting.NUMBERS),
        "batch": sorting.random_rows(2, generator=generator()),
    },
)
case(sorting.loss_without_attention, lambda: {"numbers": 5, "length": 7})
case(measures.measure, lambda: {"model": model(), "batches": stream(), "most": 1})
case(
    start.new_model,
    lambda: {"settings": Settings(layers=1, hidden=6, heads=2, positions=64), "vocab_size": 17},
)
for faster in (fast.speed_up, unpadded.skip_padding):
    case(faster, lambda: {"model": model()}, call=lambda model, faster=faster: faster(copy.deepcopy(model)))


@cache
def small_text() -> Path:
    """A folder with a text of three documents and the vocabulary of the models here."""
    folder = Path(room().name, "text")
    folder.mkdir()
    (folder / "general.txt").write_text("\n\n".join([*SENTENCES[:3]]) + "\n", encoding="utf-8")
    (folder / "vocab.vocab").write_text("".join(f"{token}\n" for token in vocab()), encoding="utf-8")
    return folder


case(
    text.prepare_text,
    lambda: {
        "settings": Settings(corpus=str(small_text())),
        "vocabulary": Kept(small_text() / "vocab.vocab"),  # what is not there would be written
    },
)


def copies(given: dict[str, Any]) -> dict[str, Any]:
    """Tensors that may be written to; those that need a gradient still do."""
    return {
        name: value.detach().clone().requires_grad_(value.requires_grad)
        if isinstance(value, torch.Tensor)
        else value
        for name, value in given.items()
    }


# --- files -------------------------------------------------------------------------------------------------------


@cache
def room() -> TemporaryDirectory:
    """Where all files are; it goes when the process ends."""
    return TemporaryDirectory(prefix="faults")


def inside(path: Any) -> Any:
    """A path that a function writes to, brought into the room; what is no text stays."""
    if not isinstance(path, str) or path.startswith(room().name):
        return path
    return f"{room().name}/other/{re.sub('[/.]', '_', path)}"


@cache
def saved() -> str:
    save_pretrained(model(), tokenizer(), f"{room().name}/saved")
    return f"{room().name}/saved"


@cache
def stopped() -> str:
    checkpoint.save_checkpoint(f"{room().name}/stopped", **run())
    return f"{room().name}/stopped"


def run() -> dict[str, Any]:
    return {"model": model(), "optimizer": optimizer(), "step": 3, "settings": {"steps": 7, "text": "배"}}


def weights() -> str:
    return f"{saved()}/model.safetensors"


case(
    save_pretrained,
    lambda: both() | {"folder": f"{room().name}/new", "dtype": torch.float16},
    call=lambda folder, **given: save_pretrained(folder=inside(folder), **given),
)
case(find_model, lambda: {"name": saved()})
case(verify, lambda: {"path": weights(), "sha256": sha256(Path(weights()).read_bytes()).hexdigest()})
case(
    checkpoint.save_checkpoint,
    lambda: run() | {"path": f"{room().name}/run"},
    call=lambda path, **given: checkpoint.save_checkpoint(inside(path), **given),
)
case(
    checkpoint.load_checkpoint,
    lambda: {"path": stopped(), **run(), "since": ["text"]} | {"step": Kept(3)},
    call=lambda step, model, **given: checkpoint.load_checkpoint(model=copy.deepcopy(model), **given),
    few=True,
)

# --- bertviz -----------------------------------------------------------------------------------------------------


def maps() -> dict[str, Any]:
    drawn = generator()
    return {
        "weights": torch.randn(1, 2, 3, 3, generator=drawn).softmax(-1),
        "tokens": ["[CLS]", "배", "[SEP]"],
        "second_start": 2,
    }


def queries() -> torch.Tensor:
    return torch.randn(1, 2, 3, 5)


case(bertviz_views.head_view, lambda: maps() | {"layer": 0, "heads": [0, 1]})
case(bertviz_views.model_view, lambda: maps() | {"layers": [0], "heads": [0, 1]})
case(
    bertviz_views.neuron_view,
    lambda: {"queries": queries(), "keys": queries()} | maps() | {"layer": 0, "head": 1},
)
