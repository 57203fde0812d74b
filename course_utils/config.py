"""The configuration of a BERT: one frozen dataclass, field names as in google-research/bert.

Met in notebooks 06 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_utils.support.given import real_number, shown, whole_number

HIDDEN_ACTS = ("gelu", "gelu_tanh", "relu")  # the functions are in activations.py
SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)
RATES = ("hidden_dropout_prob", "attention_probs_dropout_prob")


@dataclass(frozen=True)
class BertConfig:
    """Sizes and rates of a BERT (Devlin et al. 2019, section 3; defaults are BERT-base, uncased).

    Fields:
        vocab_size: V, number of entries of the vocabulary.
        hidden_size: C, width of every hidden state.
        num_hidden_layers: L, number of encoder layers.
        num_attention_heads: H; must divide hidden_size.
        intermediate_size: width inside the feed-forward network, 4·C in the paper.
        hidden_act: activation of the feed-forward network: "gelu", "gelu_tanh" or "relu".
        hidden_dropout_prob: dropout after each sub-layer and after the embeddings.
        attention_probs_dropout_prob: dropout on the attention weights.
        max_position_embeddings: longest sequence, in tokens.
        type_vocab_size: number of segments.
        initializer_range: standard deviation of the initial weights.
        layer_norm_eps: added to the variance inside the root.

    Raises:
        ValueError: if a field is impossible; it is named.
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12

    def __post_init__(self) -> None:
        fields = {name: whole_number(name, getattr(self, name)) for name in SIZES}
        fields |= {
            name: real_number(name, getattr(self, name), most=1.0, open_at=("most",)) for name in RATES
        }
        fields["initializer_range"] = real_number("initializer_range", self.initializer_range)
        fields["layer_norm_eps"] = real_number("layer_norm_eps", self.layer_norm_eps)
        for name, value in fields.items():
            object.__setattr__(self, name, value)  # plain int and float, even where NumPy's came
        if self.hidden_act not in HIDDEN_ACTS:
            raise ValueError(
                f"hidden_act must be one of {', '.join(HIDDEN_ACTS)}, got {shown(self.hidden_act)}"
            )
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size must be a multiple of num_attention_heads, "
                f"got {self.hidden_size} and {self.num_attention_heads}"
            )

    @classmethod
    def _sized(cls, layers: int, hidden: int, heads: int, **overrides) -> BertConfig:
        sizes = dict(
            num_hidden_layers=layers,
            hidden_size=hidden,
            num_attention_heads=heads,
            intermediate_size=4 * hidden,
        )
        return cls(**(sizes | overrides))

    # The six published sizes: Devlin et al. 2019 (base, large), Turc et al. 2019 (the others).
    @classmethod
    def tiny(cls, **overrides) -> BertConfig:
        """L2 H128 A2."""
        return cls._sized(2, 128, 2, **overrides)

    @classmethod
    def mini(cls, **overrides) -> BertConfig:
        """L4 H256 A4."""
        return cls._sized(4, 256, 4, **overrides)

    @classmethod
    def small(cls, **overrides) -> BertConfig:
        """L4 H512 A8."""
        return cls._sized(4, 512, 8, **overrides)

    @classmethod
    def medium(cls, **overrides) -> BertConfig:
        """L8 H512 A8."""
        return cls._sized(8, 512, 8, **overrides)

    @classmethod
    def base(cls, **overrides) -> BertConfig:
        """L12 H768 A12."""
        return cls._sized(12, 768, 12, **overrides)

    @classmethod
    def large(cls, **overrides) -> BertConfig:
        """L24 H1024 A16."""
        return cls._sized(24, 1024, 16, **overrides)
