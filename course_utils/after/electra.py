"""ELECTRA: learn from every token, by finding those that a small generator replaced (Clark et al. 2020, section 2).

    corrupted_t ~ p_G(· | masked) where t was masked, else x_t        replaced_t = (corrupted_t ≠ x_t)
    loss = L_MLM(generator) + λ·L_disc(discriminator)                 λ = 50

Not adversarial: the generator learns from its own masked language model alone. Drawing a token has no gradient, so the
discriminator's loss does not reach the generator; only the embeddings, which both share, learn from both.

Letters: B batch, T tokens, M masked positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_utils.after.electra_parts import ElectraConfig, ElectraDiscriminator, ElectraGenerator
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.heads.base import HeadOutput
from course_utils.heads.losses import IGNORE

DISCRIMINATOR_WEIGHT = 50.0  # λ, Clark et al. 2020, appendix A


@dataclass(frozen=True)
class ElectraOutput(HeadOutput):
    """`logits` (B, T) and what was encoded are the discriminator's."""

    generator_loss: Tensor  # scalars, the two parts of the loss; the second without λ
    discriminator_loss: Tensor
    corrupted: Tensor  # int64 (B, T), what the discriminator read
    replaced: Tensor  # int64 (B, T), 1, 0 or −100: what it should say


class Electra(nn.Module):
    """Generator and discriminator on the same embeddings, trained together.

    `.discriminator.bert` is what is fine-tuned afterwards; the generator is thrown away.

    Args:
        config: of the discriminator.
        divisor: by how much the generator is smaller, see ElectraConfig.smaller.
        generator: source of the random start values.
    """

    def __init__(
        self, config: ElectraConfig, *, divisor: int = 4, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.discriminator = ElectraDiscriminator(config, generator=generator)
        self.generator = ElectraGenerator(config.smaller(divisor), generator=generator)
        for part in ("token", "segment", "position", "norm"):  # not the projection, of another width
            shared = getattr(self.discriminator.bert.embeddings, part)
            setattr(self.generator.bert.embeddings, part, shared)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        *,
        labels: Tensor,
        generator: torch.Generator,
    ) -> ElectraOutput:
        """Mask, guess, draw, find.

        Args:
            input_ids: int64 (B, T), with [MASK] where a token was chosen.
            attention_mask, token_type_ids: see BertModel.forward.
            labels: int64 (B, T), the true token where one was chosen, −100 elsewhere.
            generator: source of the tokens that are drawn.
        """
        guess = self.generator(input_ids, attention_mask, token_type_ids, labels=labels)  # logits (M, V)
        chosen = labels != IGNORE  # (B, T)
        original = torch.where(chosen, labels, input_ids)
        drawn = sample_tokens(guess.logits, generator=generator)  # (M,)
        corrupted = original.masked_scatter(chosen, drawn)
        wanted = replaced(original, corrupted, attention_mask)
        found = self.discriminator(corrupted, attention_mask, token_type_ids, labels=wanted)
        loss = guess.loss + DISCRIMINATOR_WEIGHT * found.loss
        return ElectraOutput(loss, found.logits, found.encoded, guess.loss, found.loss, corrupted, wanted)
