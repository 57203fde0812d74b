"""Wrong answers to the exercises of notebook NN, each under the reason for which it must fail."""

import torch

WRONG = {
    "NN.1": {
        "absolute": torch.abs,
        "negative": lambda x: torch.nn.functional.leaky_relu(x),
        "shape": lambda x: x[x > 0],
        "dtype": lambda x: x.double().clamp(min=0),
        "mutates_input": lambda x: x.clamp_(min=0),
        "value": lambda x: x.clamp(min=0, max=6),  # right on the example shown
    },
    "NN.2": {
        "function": lambda x: x.clamp(min=0),
        "sign": torch.sign,
        "at_zero": lambda x: (x >= 0).to(x.dtype),
        "dtype": lambda x: x > 0,
        "shape": lambda x: (x > 0).to(x.dtype).sum(),
    },
    "NN.3": {
        "entries": lambda x: (x <= 0).float().mean(),
        "rows": lambda x: (x <= 0).all(dim=1).float().mean(),
        "any": lambda x: (x <= 0).any(dim=0).float().mean(),
        "count": lambda x: (x <= 0).all(dim=0).sum(),
        "active": lambda x: (x > 0).any(dim=0).float().mean(),
    },
}
