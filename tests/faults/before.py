"""Language models before BERT: ELMo's, TagLM's and GPT, characters, the mix of layers, ULMFiT's tricks."""

from __future__ import annotations

import torch

from course_utils import before
from course_utils.config import BertConfig
from tests.faults.registry import case
from tests.faults.strategies import generator

CONFIG = BertConfig(
    vocab_size=17,
    hidden_size=6,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=7,
    max_position_embeddings=11,
)
IDS = [[1, 5, 16], [3, 4, 0]]
FILTERS = [(1, 2), (3, 5)]
SIZES = {"vocab_size": 17, "hidden_size": 6, "num_layers": 2}


def batch() -> dict[str, torch.Tensor]:
    return {"input_ids": torch.tensor(IDS), "attention_mask": torch.tensor([[1, 1, 1], [1, 1, 0]])}


case(
    before.GPT,
    lambda: batch() | {"labels": torch.tensor([[1, 5, -100], [3, 4, 0]]), "output_attentions": True},
    call=lambda **given: before.GPT(CONFIG, generator=generator())(**given),
    also=(before.GPT.forward,),
)
case(
    before.GPT,
    batch,
    call=lambda **given: before.GPT(CONFIG).encode(**given),
    also=(before.GPT.encode,),
    part="#encode",
)
case(
    before.GPTForClassification,
    lambda: batch() | {"labels": torch.tensor([2, 0])},
    call=lambda **given: before.GPTForClassification(CONFIG, 3)(**given),
    also=(before.GPTForClassification.forward,),
)
case(
    before.GPTForClassification,
    lambda: {"num_labels": 3, "lm_weight": 0.5},
    call=lambda **given: before.GPTForClassification(CONFIG, **given),
    part="#sizes",
)
for model in (before.BiLM, before.TwoLMs, before.LSTMLanguageModel):
    case(
        model,
        batch,
        call=lambda model=model, **given: model(17, 6, 2, generator=generator())(**given),
        also=(model.forward,),
    )
    case(
        model,
        lambda: SIZES | {"dropout": 0.1},
        call=lambda model=model, **given: model(**given)(**batch()),
        also=(model.forward,),
        part="#sizes",
    )


def spelt() -> torch.Tensor:
    return before.character_ids([["배를", "타고", "가"], ["배", "a", ""]], max_length=9)


def speller() -> before.CharacterCNN:
    return before.CharacterCNN(5, FILTERS, 6, generator=generator())


case(
    before.BiLM,
    lambda: batch() | {"character_ids": spelt()},
    call=lambda **given: before.BiLM(17, 6, 2, words=speller())(**given),
    also=(before.BiLM.forward, before.CharacterCNN.forward),
    part="#characters",
)
case(
    before.BiLM,
    lambda: {"last_hidden_state": torch.randn(2, 3, 12)},
    call=lambda last_hidden_state: before.BiLM(17, 6, 2).logits(last_hidden_state),
    also=(before.BiLM.logits,),
    part="#logits",
)
case(
    before.BiLM,
    lambda: {"words": speller()},
    call=lambda words: before.BiLM(17, 6, 2, words=words),
    part="#words",
)
case(before.character_ids, lambda: {"words": [["배를", "타고"], ["배"]], "max_length": 9})
case(before.character_ids, lambda: {"words": ["배를", "타고"], "max_length": 9}, part="#sentence")
case(before.character_ids, lambda: {"words": "배를", "max_length": 9}, part="#word")
case(
    before.CharacterCNN,
    lambda: {"ids": spelt()},
    call=lambda ids: speller()(ids),
    also=(before.CharacterCNN.forward,),
)
case(
    before.CharacterCNN,
    lambda: {"embedding_size": 5, "filters": [*FILTERS], "hidden_size": 6, "num_highway": 2},
    part="#sizes",
)
case(
    before.ScalarMix,
    lambda: {"hidden_states": [torch.randn(2, 3, 6) for _ in range(3)]},
    call=lambda hidden_states: before.ScalarMix(2)(hidden_states),
    also=(before.ScalarMix.forward,),
)
case(before.ScalarMix, lambda: {"num_layers": 2}, part="#sizes")
case(before.discriminative_rates, lambda: {"peak": 0.01, "num_layers": 3, "factor": 2.6})
case(before.unfrozen_layers, lambda: {"epoch": 2, "num_layers": 3})
case(
    before.concat_pooling,
    lambda: {
        "hidden_states": torch.randn(2, 3, 6),
        "attention_mask": torch.tensor([[1, 1, 1], [1, 1, 0]]),
    },
)
