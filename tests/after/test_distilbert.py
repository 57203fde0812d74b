"""DistilBERT's model: equal to the reference's with copied weights; how its block differs; what it leaves out."""

import torch
import transformers
from torch.nn import Dropout

from course_utils.after.distilbert import DistilBertForMaskedLM, DistilBertModel
from course_utils.config import BertConfig

V, C, LAYERS, HEADS, WIDE, LONGEST = 101, 44, 3, 11, 53, 47
B, T = 5, 13
OURS = dict(
    vocab_size=V,
    hidden_size=C,
    num_hidden_layers=LAYERS,
    num_attention_heads=HEADS,
    intermediate_size=WIDE,
    max_position_embeddings=LONGEST,
)
MODULES = {
    "distilbert.embeddings.word_embeddings": "bert.embeddings.token",
    "distilbert.embeddings.position_embeddings": "bert.embeddings.position.embedding",
    "distilbert.embeddings.LayerNorm": "bert.embeddings.norm",
    "distilbert.transformer.layer.{}.attention.q_lin": "bert.encoder.layers.{}.attention.query",
    "distilbert.transformer.layer.{}.attention.k_lin": "bert.encoder.layers.{}.attention.key",
    "distilbert.transformer.layer.{}.attention.v_lin": "bert.encoder.layers.{}.attention.value",
    "distilbert.transformer.layer.{}.attention.out_lin": "bert.encoder.layers.{}.attention.output",
    "distilbert.transformer.layer.{}.sa_layer_norm": "bert.encoder.layers.{}.attention_norm",
    "distilbert.transformer.layer.{}.ffn.lin1": "bert.encoder.layers.{}.feed_forward.expand",
    "distilbert.transformer.layer.{}.ffn.lin2": "bert.encoder.layers.{}.feed_forward.contract",
    "distilbert.transformer.layer.{}.output_layer_norm": "bert.encoder.layers.{}.feed_forward_norm",
    "vocab_transform": "mlm.dense",
    "vocab_layer_norm": "mlm.norm",
}


def reference_config(**more):
    sizes = dict(
        vocab_size=V, dim=C, n_layers=LAYERS, n_heads=HEADS, hidden_dim=WIDE, max_position_embeddings=LONGEST
    )
    return transformers.DistilBertConfig(**(sizes | more), attn_implementation="eager")


def our_name(theirs):
    """Name of a tensor of the reference -> ours."""
    if theirs == "vocab_projector.bias":
        return "mlm.bias"
    module, _, kind = theirs.rpartition(".")
    number = next((part for part in module.split(".") if part.isdigit()), "")
    plain = module.replace(f".{number}.", ".{}.") if number else module
    return f"{MODULES[plain].format(number)}.{kind}"


def twins(**more):
    """A random reference model and ours with its weights, both in eval mode."""
    torch.manual_seed(0)
    reference = transformers.DistilBertForMaskedLM(reference_config(**more)).eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.3)
    theirs = {
        name: tensor for name, tensor in reference.state_dict().items() if name != "vocab_projector.weight"
    }
    ours = DistilBertForMaskedLM(BertConfig(**OURS)).eval()
    ours.load_state_dict({our_name(name): tensor for name, tensor in theirs.items()})
    return ours, reference


def batch():
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, V, (B, T), generator=generator)
    mask = torch.ones(B, T, dtype=torch.long)
    mask[1, 9:], mask[2, :4], mask[3, 5:7] = 0, 0, 0
    labels = torch.where(torch.rand(B, T, generator=generator) < 0.3, ids, -100)
    return ids, mask, labels.masked_fill(mask == 0, -100)


def assert_near(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_equal_to_the_reference_in_every_layer():
    ours, reference = twins()
    ids, mask, _ = batch()
    with torch.no_grad():
        mine = ours(ids, mask, output_attentions=True)
        theirs = reference(ids, mask, output_hidden_states=True, output_attentions=True)
    assert_near(mine.logits, theirs.logits)
    assert len(mine.hidden_states) == LAYERS + 1 and len(mine.attentions) == LAYERS
    assert_near(torch.stack(mine.hidden_states), torch.stack(theirs.hidden_states))
    assert_near(mine.last_hidden_state, theirs.hidden_states[-1])
    assert_near(torch.stack(mine.attentions), torch.stack(theirs.attentions))


def test_the_model_without_a_head_is_equal_too():
    ours, reference = twins()
    ids, mask, _ = batch()
    mine, theirs = ours.bert(ids, mask), reference.distilbert(ids, mask)
    assert_near(mine.last_hidden_state, theirs.last_hidden_state)
    assert mine.pooler_output is None and ours.bert.pooler is None


def test_equal_loss_and_gradients():
    ours, reference = twins()
    ids, mask, labels = batch()
    mine, theirs = ours(ids, mask, labels=labels), reference(ids, mask, labels=labels)
    assert_near(mine.loss, theirs.loss)
    assert mine.logits.shape == (int((labels != -100).sum()), V)
    assert_near(mine.logits, theirs.logits[labels != -100])
    mine.loss.backward()
    theirs.loss.backward()
    own = dict(ours.named_parameters())
    compared = {our_name(name): parameter.grad for name, parameter in reference.named_parameters()}
    assert set(compared) == set(own)
    for name, gradient in compared.items():
        assert gradient.abs().sum() > 0
        assert_near(own[name].grad, gradient)


def test_the_one_difference_is_dropout_after_attention():
    """Ours drops what the attention gives, as BERT does; the reference does not."""
    ours, reference = twins(dropout=0.4, attention_dropout=0.0)
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
    ours, _ = twins()
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
