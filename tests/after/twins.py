"""Models of `transformers` with random weights, and ours with the same: by a table of names on top of BERT's."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from course_utils.pretrained.name_map import reference_name

B, T, V = 5, 13, 101
SIZES = dict(
    vocab_size=V,
    hidden_size=44,
    num_hidden_layers=3,
    num_attention_heads=11,
    intermediate_size=53,
    max_position_embeddings=47,
    type_vocab_size=2,
    layer_norm_eps=1e-3,
)


def their_name(ours: str, names: dict[str, str]) -> str:
    """Our name -> theirs: by our own table, in which {} is the number of a layer, or else by BERT's."""
    module, _, kind = ours.rpartition(".")
    number = next((part for part in module.split(".") if part.isdigit()), "")
    for start in ("bert.", ""):
        inner = module.removeprefix(start).replace(f".{number}.", ".{}." if number else ".")
        if inner in names:
            return f"{names[inner].format(number)}.{kind}"
    return reference_name(ours.removeprefix("bert."))


def copy_weights(ours: nn.Module, reference: nn.Module, names: dict[str, str], prefix: str) -> dict[str, str]:
    """Load the reference's weights into ours; name of ours -> name of theirs, `prefix` aside.

    Every parameter of ours gets one, and none of the reference's is left over.
    """
    theirs = {name.removeprefix(prefix): tensor for name, tensor in reference.named_parameters()}
    table = {name: their_name(name, names) for name, _ in ours.named_parameters()}
    assert sorted(table.values()) == sorted(theirs), set(theirs) ^ set(table.values())
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            parameter.copy_(theirs[table[name]])
    return table


def same_gradients(
    ours: nn.Module, reference: nn.Module, table: dict[str, str], prefix: str, *, atol: float = 1e-9
) -> None:
    """Hold the gradients of all parameters equal."""
    theirs = {name.removeprefix(prefix): parameter for name, parameter in reference.named_parameters()}
    for name, parameter in ours.named_parameters():
        expected = theirs[table[name]].grad
        torch.testing.assert_close(
            parameter.grad, expected, rtol=0, atol=atol, msg=lambda m, n=name: f"{n}: {m}"
        )


def batch() -> tuple[Tensor, Tensor, Tensor]:
    """Ids (no padding id among the real ones), attention mask, segments."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(2, V, (B, T), generator=generator)
    mask = torch.ones(B, T, dtype=torch.long)
    mask[1, 9:], mask[2, 7:] = 0, 0
    segments = (torch.arange(T) >= 6).long().expand(B, T).contiguous()
    return ids, mask, segments


def masked_labels() -> Tensor:
    """Labels in some real places, each row another number of them."""
    generator = torch.Generator().manual_seed(2)
    _, mask, _ = batch()
    chosen = (torch.rand(B, T, generator=generator) < 0.3) & (mask == 1)
    return torch.randint(2, V, (B, T), generator=generator).masked_fill(~chosen, -100)
