"""One pre-training step of our BertForPreTraining against that of `transformers`: forward, loss, backward, clip, AdamW.

Same start weights, batches, precision and optimiser (AdamW, fused); both in turn, the ratio is
the median over the pairs. Sizes: L4 H256 A4, vocabulary 8,000, batch 32 × 64 tokens, all real, 15 % of them to be
predicted, every dropout 0.1.

Beside it stands the machine's own ceiling, the best speed of torch's plain float32 matrix product. Our share of it may
exceed 100 %: bfloat16 multiplies faster, and so does course_utils/training/fast_layers.py on some processors.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import cycle

import torch
import transformers
from torch import Tensor, nn

from benchmarks import table
from benchmarks.inference_bench import _interleaved, encoder_operations, matrix_product_gflops
from course_utils.config import BertConfig
from course_utils.datasets.batching import PretrainingBatches, encode_documents
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.heads import IGNORE, BertForPreTraining
from course_utils.pretrained.name_map import plain_name, reference_name
from course_utils.training.device import fast_precision
from course_utils.training.fast import speed_up
from course_utils.training.optim import adamw

SIZES = dict(
    vocab_size=8000,
    hidden_size=256,
    num_hidden_layers=4,
    num_attention_heads=4,
    intermediate_size=1024,
    max_position_embeddings=512,
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.1,
)
BATCH, LENGTH = 32, 64
MASKED = 0.15
BATCHES = 8  # gone through in turn, for the number of predicted tokens differs from batch to batch
PRECISIONS = {"float32": nullcontext, "bfloat16": lambda: torch.autocast("cpu", torch.bfloat16)}
SECONDS = 20.0  # for each row

Inputs = dict[str, Tensor]


def rows() -> list[table.Row]:
    """Measure; a row a precision. Where a processor can only imitate bfloat16, half a minute a step, it is left out."""
    data = batches()
    ceiling = max(matrix_product_gflops(size, seconds=1.0) for size in (1024, 1536, 2048))
    measured = []
    for name, precision in PRECISIONS.items():
        what = f"pre-training step, {name}"
        if name == "bfloat16" and fast_precision() != torch.bfloat16:
            note = "not measured: this processor has no bfloat16"
            measured.append(table.Row(what, None, None, None, note=note))
            continue
        ours, reference = models()
        pairs = _interleaved(stepper(ours, data, precision), stepper(reference, data, precision), SECONDS)
        mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(other / own for own, other in pairs)
        speeds = [BATCH * LENGTH / seconds for seconds in (mine, theirs)]
        note = table.training_note(name, *speeds, operations(ours.config, data) / mine / 1e9, ceiling)
        measured.append(table.Row(what, mine, theirs, ratio, goal(name), note))
    return measured


def goal(precision: str) -> str:
    """The ratio to be reached: in float32 what the processor has decides."""
    if precision != "float32":
        return "≥ 2"
    return "≥ 2.5" if torch.backends.cpu.get_cpu_capability() == "AVX512" else "≥ 1.8"


def pipeline(*, count: int = 300) -> dict[str, float]:
    """How many real tokens a second course_utils.datasets makes ready, drawing pairs and masks from the corpus.

    Returns:
        tokens_per_second, and seconds for as many tokens as one of the steps above has.
    """
    documents = read_documents()
    tokenizer = train_vocabulary([sentence for document in documents for sentence in document], 8000)
    stream = PretrainingBatches(encode_documents(documents, tokenizer), tokenizer, batch_size=BATCH)
    start = time.perf_counter()
    tokens = sum(int(stream(number).attention_mask.sum()) for number in range(count))
    speed = tokens / (time.perf_counter() - start)
    return {"tokens_per_second": speed, "seconds": BATCH * LENGTH / speed}


def models(sizes: dict[str, float] = SIZES) -> tuple[BertForPreTraining, nn.Module]:
    """Ours and the reference with the same random weights, in training mode."""
    reference = transformers.BertForPreTraining(transformers.BertConfig(**sizes))
    ours = BertForPreTraining(BertConfig(**sizes))
    weights = {plain_name(name): tensor for name, tensor in reference.state_dict().items()}
    ours.load_state_dict({name: weights[reference_name(name)] for name in ours.state_dict()})
    return speed_up(ours).train(), reference.train()


def batches(vocab_size: int = 8000, *, count: int = BATCHES) -> list[Inputs]:
    """Random ids, of which 15 % are to be predicted; two segments; from a seed."""
    generator = torch.Generator().manual_seed(0)
    made = []
    for _ in range(count):
        ids = torch.randint(5, vocab_size, (BATCH, LENGTH), generator=generator)
        chosen = torch.rand(ids.shape, generator=generator) < MASKED
        made.append(
            {
                "input_ids": ids.masked_fill(chosen, 4),
                "attention_mask": torch.ones_like(ids),
                "token_type_ids": (torch.arange(LENGTH) >= LENGTH // 2).long().repeat(BATCH, 1),
                "labels": ids.masked_fill(~chosen, IGNORE),
                "next_sentence_label": torch.randint(0, 2, (BATCH,), generator=generator),
            }
        )
    return made


def stepper(model: nn.Module, data: list[Inputs], precision: Callable = nullcontext) -> Callable[[], Tensor]:
    """A function that takes one whole training step at each call, and returns its loss."""
    optimizer, parameters, turn = adamw(model), list(model.parameters()), cycle(data)

    def step() -> Tensor:
        optimizer.zero_grad()
        with precision():
            loss = model(**next(turn)).loss
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        return loss.detach()

    return step


def operations(config: BertConfig, data: list[Inputs]) -> float:
    """Floating-point operations of the matrix products of one step of ours; backward has twice those of forward."""
    C, V = config.hidden_size, config.vocab_size
    predicted = statistics.mean(int((inputs["labels"] != IGNORE).sum()) for inputs in data)
    heads = 2 * predicted * (C * C + C * V) + 2 * BATCH * (C * C + 2 * C)
    return 3 * (encoder_operations(config, BATCH, LENGTH) + heads)
