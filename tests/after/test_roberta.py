import pytest
import torch
import transformers

from course_utils.after.roberta import (
    RobertaConfig,
    RobertaEmbeddings,
    RobertaModel,
    StaticMasks,
    full_sentences,
)
from course_utils.datasets.batching import PretrainingBatches
from course_utils.heads import BertForMaskedLM
from tests.after.twins import SIZES, batch, copy_weights, masked_labels, same_gradients
from tests.small import randomised, tokenizer_of

PAD = 3
SMALL = {**SIZES, "type_vocab_size": 1, "pad_token_id": PAD}
NAMES = {"mlm.dense": "lm_head.dense", "mlm.norm": "lm_head.layer_norm", "mlm": "lm_head"}


def padded():
    """Ids with the padding id where the mask is 0, on the right in two rows and on the left in one."""
    ids, mask, _ = batch()
    mask[4, :3] = 0
    ids[ids == PAD] = PAD + 1
    return ids.masked_fill(mask == 0, PAD), mask


class MaskedRoberta(BertForMaskedLM):
    model_class = RobertaModel


def twins(kind, reference, prefix):
    config = transformers.RobertaConfig(**SMALL, bos_token_id=0, eos_token_id=2, attn_implementation="eager")
    reference = randomised(getattr(transformers, reference)(config))
    ours = kind(RobertaConfig(**SMALL)).double().eval()
    return ours, reference, copy_weights(ours, reference, NAMES, prefix)


def test_the_model_is_that_of_transformers():
    ours, reference, _ = twins(RobertaModel, "RobertaModel", "roberta.")
    ids, mask = padded()
    mine, theirs = ours(ids, mask), reference(ids, mask, output_hidden_states=True)
    for one, other in zip(mine.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(one[mask == 1], other[mask == 1], rtol=0, atol=1e-9)
    zeros = torch.zeros_like(ids)
    assert torch.equal(ours(ids, mask, zeros).last_hidden_state, mine.last_hidden_state)
    filled = mask[:, 0] == 1
    torch.testing.assert_close(mine.pooler_output[filled], theirs.pooler_output[filled], rtol=0, atol=1e-9)


def test_losses_and_gradients_are_those_of_transformers():
    ours, reference, table = twins(MaskedRoberta, "RobertaForMaskedLM", "roberta.")
    ids, mask = padded()
    labels = masked_labels().masked_fill(mask == 0, -100)
    mine, theirs = ours(ids, mask, labels=labels), reference(ids, mask, labels=labels)
    torch.testing.assert_close(mine.loss, theirs.loss, rtol=0, atol=1e-9)
    mine.loss.backward()
    theirs.loss.backward()
    same_gradients(ours, reference, table, "roberta.")


def test_positions_start_behind_the_padding_id():
    embeddings = RobertaEmbeddings(RobertaConfig(**SMALL))
    ids = torch.tensor([[7, 8, PAD, PAD], [PAD, 9, 9, 9]])
    assert embeddings.position_ids(ids).tolist() == [[4, 5, 3, 3], [3, 4, 5, 6]]


def test_the_longest_row_is_shorter_by_the_padding_id_and_one():
    ours = RobertaModel(RobertaConfig(**SMALL))
    assert ours(torch.full((1, 43), 9)).last_hidden_state.shape == (1, 43, 44)
    with pytest.raises(ValueError, match="at most 43 tokens a row, got 44"):
        ours(torch.full((1, 44), 9))


def test_published_size():
    with torch.device("meta"):
        ours = RobertaModel(RobertaConfig())
        theirs = transformers.RobertaModel(
            transformers.RobertaConfig(max_position_embeddings=514, type_vocab_size=1)
        )
    count = sum(parameter.numel() for parameter in ours.parameters())
    assert count == sum(parameter.numel() for parameter in theirs.parameters()) == 124_645_632


@pytest.fixture(scope="module")
def stream():
    tokenizer = tokenizer_of([*"abcdefghij", "##k", "##l", "##m"])
    generator = torch.Generator().manual_seed(0)
    documents = [torch.randint(5, 15, (5, 17), generator=generator).tolist() for _ in range(7)]
    return PretrainingBatches(documents, tokenizer, batch_size=11, max_length=32, seed=3)


def test_static_masks_come_back_and_dynamic_ones_do_not(stream):
    static, epoch = StaticMasks(stream, copies=2), stream.batches_per_epoch
    for number in (0, epoch - 1, 2 * epoch - 1):
        first, again = static(number), static(number + 2 * epoch)
        for one, other in zip(first.inputs().values(), again.inputs().values(), strict=True):
            assert torch.equal(one, other)
        assert torch.equal(first.input_ids, stream(number).input_ids)
    fresh = [stream(number).labels for number in (0, epoch, 2 * epoch)]
    assert not any(a.shape == b.shape and torch.equal(a, b) for a, b in [fresh[:2], fresh[1:], fresh[::2]])
    assert not torch.equal(static(0).labels, static(epoch).labels[:, : static(0).labels.shape[1]])


def test_full_sentences_go_on_across_documents():
    documents = [[[11, 12, 13], [14, 15]], [[21, 22]], [[31, 32, 33, 34], [35]]]
    assert full_sentences(documents, room=8, separator_id=3) == [
        [11, 12, 13, 14, 15, 3, 21, 22],
        [31, 32, 33, 34, 35],
    ]
    assert full_sentences(documents, room=7, separator_id=3)[:2] == [
        [11, 12, 13, 14, 15],  # [SEP] and the next sentence would be 8
        [21, 22, 3, 31, 32, 33, 34],
    ]
    assert full_sentences([[[1] * 9]], room=4, separator_id=3) == [[1] * 4]
    assert full_sentences([[]], room=4, separator_id=3) == []


def test_no_sentence_is_split_lost_or_in_another_order():
    generator = torch.Generator().manual_seed(5)
    documents, number = [], 0
    for _ in range(23):
        sentences = []
        for length in torch.randint(1, 12, (5,), generator=generator).tolist():
            sentences.append([number] * length)
            number += 1
        documents.append(sentences)
    rows = full_sentences(documents, room=13, separator_id=-1)
    assert max(map(len, rows)) <= 13 and all(rows)
    order = [token for row in rows for token in row if token != -1]
    assert order == [token for document in documents for sentence in document for token in sentence]
    for sentence in range(number):
        assert sum(sentence in row for row in rows) == 1
    starts = {document[0][0] for document in documents}
    for row in rows:
        for before, after in zip(row, row[1:]):
            if after in starts and before != after:
                assert before == -1  # an extra separator where a document ends inside a row
            assert after != -1 or before != -1
        assert row[0] != -1 != row[-1]
