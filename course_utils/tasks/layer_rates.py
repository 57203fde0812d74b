"""Which part of a model learns how fast, and which not at all: from the head down to the embeddings.

Lower layers hold what any text needs, upper ones what the last task needed; so the lower ones are to change less.

Letters: L layers.
"""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW

from course_utils.heads.base import BertWithHead
from course_utils.support.given import real_number, shown, whole_number
from course_utils.training.optim import adamw

MOST_LAYERS = 10**4  # whoever asks for more has mistyped


def layer_shares(num_layers: int, *, layer_decay: float = 1.0, frozen: int = 0) -> list[float]:
    """Which share of the highest rate each part learns at: the embeddings, layer 1 … L, the head.

        share of layer l = layer_decay^(L − l), 0 up to l = frozen        embeddings: l = 0        head: 1

    Args:
        num_layers: L.
        layer_decay: 1 gives all layers the same rate.
        frozen: so many layers from below stay as they are, and if there is one, the embeddings do, too; −1: all.

    Returns:
        L + 2 shares. The pooler belongs to the head.

    Raises:
        ValueError: if layer_decay does not lie above 0 and at most at 1, or frozen not in −1 … L.

    Source: Howard and Ruder 2018, section 3.2 (their decay is 1/2.6).
    """
    num_layers = whole_number("num_layers", num_layers, most=MOST_LAYERS)
    layer_decay = real_number("layer_decay", layer_decay, most=1.0, open_at=("least",))
    frozen = whole_number("frozen", frozen, least=-1, most=num_layers)
    kept = num_layers if frozen == -1 else frozen
    shares = [layer_decay ** (num_layers - layer) for layer in range(num_layers + 1)]
    if kept:
        shares[: kept + 1] = [0.0] * (kept + 1)
    return [*shares, 1.0]


def layered_adamw(model: BertWithHead, *, layer_decay: float = 1.0, frozen: int = 0) -> AdamW:
    """AdamW whose rate falls from layer to layer, as layer_shares has it.

    What has no share is not among its parameters, and so does not decay, either. Weight decay as in parameter_groups.

    Args:
        model: any with a head.
        layer_decay, frozen: see layer_shares.

    Raises:
        ValueError: if model is none, or a number does not fit.
    """
    *shares, whole = layer_shares(len(parts_from_below(model)) - 1, layer_decay=layer_decay, frozen=frozen)
    share = {
        id(parameter): own
        for part, own in zip(parts_from_below(model), shares)
        for parameter in part.parameters()
    }
    groups: list[dict] = []
    for group in adamw(model).param_groups:
        for own in sorted({whole, *shares} - {0.0}):
            here = [parameter for parameter in group["params"] if share.get(id(parameter), whole) == own]
            groups.append({**group, "params": here, "share": own})
    return AdamW([group for group in groups if group["params"]], fused=True)


def parts_from_below(model: BertWithHead) -> list[nn.Module]:
    """The embeddings and the L layers.

    Raises:
        ValueError: if model has no head of this package.
    """
    if not isinstance(model, BertWithHead):
        raise ValueError(f"model must be a BertModel with a head, got {shown(model)}")
    return [model.bert.embeddings, *model.bert.encoder.layers]
