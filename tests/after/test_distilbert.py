"""DistilBERT's model: equal to the reference's with copied weights; how its block differs; what it leaves out."""

import torch
import transformers
from torch.nn import Dropout

from course_utils.after.distilbert import DistilBertForMaskedLM, DistilBertModel
from course_utils.config import BertConfig
from tests.after.twins import SIZES, V, batch, copy_weights, masked_labels, same_gradients
from tests.small import randomised

LAYERS = SIZES["num_hidden_layers"]
THEIRS = dict(
    vocab_size=V,
    dim=SIZES["hidden_size"],
    n_layers=LAYERS,
    n_heads=SIZES["num_attention_heads"],
    hidden_dim=SIZES["intermediate_size"],
    max_position_embeddings=SIZES["max_position_embeddings"],
)
NAMES = {
    "encoder.layers.{}.attention.query": "transformer.layer.{}.attention.q_lin",
    "encoder.layers.{}.attention.key": "transformer.layer.{}.attention.k_lin",
    "encoder.layers.{}.attention.value": "transformer.layer.{}.attention.v_lin",
    "encoder.layers.{}.attention.output": "transformer.layer.{}.attention.out_lin",
    "encoder.layers.{}.attention_norm": "transformer.layer.{}.sa_layer_norm",
    "encoder.layers.{}.feed_forward.expand": "transformer.layer.{}.ffn.lin1",
    "encoder.layers.{}.feed_forward.contract": "transformer.layer.{}.ffn.lin2",
    "encoder.layers.{}.feed_forward_norm": "transformer.layer.{}.output_layer_norm",
    "mlm.dense": "vocab_transform",
    "mlm.norm": "vocab_layer_norm",
    "mlm": "vocab_projector",
}


def twins(**more):
    """A random reference model and ours with its weights."""
    config = transformers.DistilBertConfig(**THEIRS, **more, attn_implementation="eager")
    reference = randomised(transformers.DistilBertForMaskedLM(config))
    ours = DistilBertForMaskedLM(BertConfig(**SIZES | {"layer_norm_eps": 1e-12})).double().eval()
    return ours, reference, copy_weights(ours, reference, NAMES, "distilbert.")


def assert_near(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-9)


def test_equal_to_the_reference_in_every_layer():
    ours, reference, _ = twins()
    ids, mask, _ = batch()
    mine = ours(ids, mask, output_attentions=True)
    theirs = reference(ids, mask, output_hidden_states=True, output_attentions=True)
    assert_near(mine.logits, theirs.logits)
    assert len(mine.hidden_states) == LAYERS + 1 and len(mine.attentions) == LAYERS
    assert_near(torch.stack(mine.hidden_states), torch.stack(theirs.hidden_states))
    assert_near(torch.stack(mine.attentions), torch.stack(theirs.attentions))
    alone = ours.bert(ids, mask)
    assert_near(alone.last_hidden_state, reference.distilbert(ids, mask).last_hidden_state)
    assert alone.pooler_output is None and ours.bert.pooler is None


def test_equal_loss_and_gradients():
    ours, reference, table = twins()
    (ids, mask, _), labels = batch(), masked_labels()
    mine, theirs = ours(ids, mask, labels=labels), reference(ids, mask, labels=labels)
    assert_near(mine.loss, theirs.loss)
    assert_near(mine.logits, theirs.logits[labels != -100])
    mine.loss.backward()
    theirs.loss.backward()
    same_gradients(ours, reference, table, "distilbert.")


def test_the_one_difference_is_dropout_after_attention():
    """Ours drops what the attention gives, as BERT does; the reference does not."""
    ours, reference, _ = twins(dropout=0.4, attention_dropout=0.0)
    ids, mask, _ = batch()
    for model in (ours.train(), reference.train()):
        for name, part in model.named_modules():
            if isinstance(part, Dropout) and ("embeddings" in name or name.endswith("attention.dropout")):
                part.p = 0.0
    with torch.no_grad():  # a feed-forward network that gives 0: dropping it changes nothing
        for name, parameter in (*ours.named_parameters(), *reference.named_parameters()):
            if "contract" in name or "lin2" in name:
                parameter.zero_()
        for layer in ours.bert.encoder.layers:
            layer.dropout.p = 0.4
        assert torch.equal(reference(ids, mask).logits, reference(ids, mask).logits)
        assert not torch.equal(ours(ids, mask).logits, ours(ids, mask).logits)
        for layer in ours.bert.encoder.layers:
            layer.dropout.p = 0.0
        assert_near(ours(ids, mask).logits, reference(ids, mask).logits)


def test_segments_are_not_looked_at_and_there_is_no_weight_for_them():
    ours, _, _ = twins()
    ids, mask, _ = batch()
    assert torch.equal(ours(ids, mask, mask).logits, ours(ids, mask).logits)
    assert not [name for name in ours.state_dict() if "segment" in name or "pooler" in name]


def test_published_sizes():
    """DistilBERT base, 66M: 40 % less than BERT-base's 110M (Sanh et al. 2019, table 3)."""
    config = BertConfig.base(num_hidden_layers=6)
    with torch.device("meta"):
        ours = DistilBertModel(config)
        theirs = transformers.DistilBertModel(transformers.DistilBertConfig())
    count = sum(parameter.numel() for parameter in ours.parameters())
    assert count == theirs.num_parameters() == 66_362_880
