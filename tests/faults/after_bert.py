"""What changes BERT's pre-training: ALBERT, ELECTRA, RoBERTa, SpanBERT."""

from __future__ import annotations

import torch

from course_utils import after
from course_utils.datasets.batching import PretrainingBatches
from tests.faults.models import stream
from tests.faults.registry import case
from tests.faults.strategies import Kept, generator

SIZES = {
    "vocab_size": 17,
    "hidden_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 7,
    "max_position_embeddings": 11,
}
NARROW = {**SIZES, "embedding_size": 5}
ALBERT, ELECTRA = after.AlbertConfig(**NARROW), after.ElectraConfig(**NARROW)
ROBERTA = after.RobertaConfig(**SIZES, type_vocab_size=2)
PLACES = torch.tensor([[0, 1, 2], [1, 2, 2]])
SPANS = after.Spans(
    torch.tensor([[False, True, True, False], [False, False, True, False]]), PLACES, PLACES[:, 0]
)


def ids() -> dict[str, torch.Tensor]:
    return {
        "input_ids": torch.tensor([[2, 5, 16, 3], [7, 3, 6, 0]]),
        "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]),
        "token_type_ids": torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]]),
    }


WORDS = torch.tensor([[-100, 5, 16, -100], [-100, -100, 6, -100]])
ORDER = torch.tensor([0, 1])

for config in (after.FactorizedConfig, after.AlbertConfig):
    case(config, lambda: dict(NARROW))
case(
    after.ElectraConfig,
    lambda: {**NARROW, "divisor": 3},
    call=lambda divisor, **sizes: after.ElectraConfig(**sizes).smaller(divisor),
    also=(after.ElectraConfig.smaller,),
)
case(after.RobertaConfig, lambda: {**SIZES, "pad_token_id": 1})
for embeddings, sizes in (
    (after.FactorizedEmbeddings, ALBERT),
    (after.RobertaEmbeddings, ROBERTA),
):
    case(
        embeddings,
        lambda: {name: ids()[name] for name in ("input_ids", "token_type_ids")},
        call=lambda part=embeddings, sizes=sizes, **given: part(sizes)(**given),
        also=(embeddings.forward,),
    )
for model, sizes, labels in (
    (after.AlbertModel, ALBERT, {}),
    (after.ElectraModel, ELECTRA, {}),
    (after.RobertaModel, ROBERTA, {}),
    (after.AlbertForPreTraining, ALBERT, {"labels": WORDS, "sentence_order_label": ORDER}),
    (after.ElectraGenerator, ELECTRA, {"labels": WORDS}),
    (after.ElectraDiscriminator, ELECTRA, {"labels": torch.tensor([[0, 1, 1, 0], [0, 0, 1, -100]])}),
    (after.SpanBertForPreTraining, ROBERTA, {"labels": WORDS, "spans": PLACES}),
):
    case(
        model,
        lambda labels=labels: {**ids(), **labels},
        call=lambda model=model, sizes=sizes, **given: model(sizes)(**given),
        also=(model.forward,),
    )
case(
    after.Electra,
    lambda: {**ids(), "labels": WORDS, "divisor": 2, "generator": Kept(generator())},
    call=lambda divisor, **given: after.Electra(ELECTRA, divisor=divisor)(**given),
    also=(after.Electra.forward, after.ElectraConfig),
)
case(
    after.SharedEncoder,
    lambda: {"hidden_states": torch.randn(2, 3, 6), "mask": torch.ones(3, 3).tril().bool()},
    call=lambda **given: after.SharedEncoder(ALBERT)(**given),
    also=(after.SharedEncoder.forward,),
)
case(
    after.FactorizedMLMHead,
    lambda: {"hidden_states": torch.randn(2, 3, 6), "token_embedding": torch.randn(17, 5)},
    call=lambda **given: after.FactorizedMLMHead(ALBERT)(**given),
    also=(after.FactorizedMLMHead.forward,),
)
case(
    after.BoundaryObjective,
    lambda: {
        "hidden_states": torch.randn(2, 4, 6),
        "places": PLACES,
        "token_embedding": torch.randn(17, 6),
    },
    call=lambda **given: after.BoundaryObjective(ROBERTA)(**given),
    also=(after.BoundaryObjective.forward,),
)

# --- data --------------------------------------------------------------------------------------------------------

DOCUMENTS = [[[5, 6], [7], [5, 6]], [[8, 9]], [[2, 3], [4]]]
case(after.sentence_order_pairs, lambda: {"documents": DOCUMENTS, "generator": Kept(generator())})
case(after.full_sentences, lambda: {"documents": DOCUMENTS, "room": 5, "separator_id": 3})
case(
    after.StaticMasks,
    lambda: {"batches": stream(), "copies": 2},
    call=lambda **given: after.StaticMasks(**given)(7),
    also=(PretrainingBatches,),
)
case(
    after.replaced,
    lambda: {
        "input_ids": ids()["input_ids"],
        "corrupted": ids()["input_ids"] + 1,
        "attention_mask": ids()["attention_mask"],
    },
)
case(after.sample_tokens, lambda: {"logits": torch.randn(3, 5), "generator": Kept(generator())})
case(after.length_probabilities, lambda: {"p": 0.2, "longest": 10})
case(after.span_lengths, lambda: {"count": 7, "generator": Kept(generator()), "p": 0.2, "longest": 10})
case(
    after.mask_spans,
    lambda: {
        "can_choose": torch.ones(2, 7, dtype=torch.bool),
        "continues": torch.tensor([[False, True, False, False, True, True, False]] * 2),
        "generator": Kept(generator()),
        "rate": 0.15,
    },
)
case(after.tokens_of, lambda: {"places": PLACES})
case(
    after.corrupt_spans,
    lambda: {
        "input_ids": ids()["input_ids"],
        "spans": SPANS,
        "mask_id": 4,
        "first_id": 5,
        "vocab_size": 17,
        "generator": Kept(generator()),
    },
)
