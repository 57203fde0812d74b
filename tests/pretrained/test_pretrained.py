"""Model folders: what is loaded, what is saved, and what is refused."""

import hashlib
import json
import os
import shutil
import signal
import struct
from contextlib import nullcontext

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from course_utils import heads
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.pretrained import checkpoints, load_pretrained, save_pretrained, sources
from course_utils.pretrained import folder as folder_module
from course_utils.pretrained import weights as weights_module
from course_utils.pretrained.errors import (
    ChecksumMismatch,
    ConfigError,
    DamagedFile,
    MissingFile,
    ModelNotFound,
    PickleRefused,
    TensorMismatch,
    UnsupportedModel,
)
from course_utils.pretrained.name_map import MODULES, reference_name
from course_utils.support.foreign_json import BadJSON
from course_utils.tokenization import WordPieceTokenizer
from tests.model.every_head import HEADS, in_its_form

# A small vocabulary of Hangul in lower case without accents: load_pretrained says that it fits badly.
pytestmark = pytest.mark.filterwarnings("ignore:.* stand in no text")
SIZES = dict(
    vocab_size=13,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=17,
    max_position_embeddings=19,
)
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "배", "##를", "##가", "bank", "river", "é", "."]
CLASSES = ["BertModel", *HEADS]
IDS = torch.tensor([[2, 5, 6, 8, 3], [2, 9, 3, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def tokenizer(*more, **rules):
    return WordPieceTokenizer({token: number for number, token in enumerate([*TOKENS, *more])}, **rules)


def our_class(name):
    return BertModel if name == "BertModel" else getattr(heads, name)


def our_model(name="BertForPreTraining", **more):
    more |= {"num_labels": 5} if "Classification" in name else {}
    torch.manual_seed(0)
    model = our_class(name)(BertConfig(**SIZES), **more).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


def saved(tmp_path, name="BertForPreTraining", **how):
    place = tmp_path / "model"
    save_pretrained(our_model(name), tokenizer(), place, **how)
    return place


def change_config(place, **changes):
    """Set keys of config.json; ... removes one."""
    settings = json.loads((place / "config.json").read_text()) | changes
    (place / "config.json").write_text(json.dumps({k: v for k, v in settings.items() if v is not ...}))


def change_weights(place, change):
    """Let `change` edit the dict of tensors."""
    tensors = load_file(place / "model.safetensors")
    change(tensors)
    save_file(tensors, place / "model.safetensors", metadata={"format": "pt"})


def same_numbers(one, other, atol=1e-6):
    ids, mask = in_its_form(type(one).__name__, (IDS, MASK))
    with torch.no_grad():
        mine, theirs = one(ids, attention_mask=mask), other(ids, attention_mask=mask)
    kinds = "logits prediction_logits seq_relationship_logits start_logits last_hidden_state pooler_output"
    for name in kinds.split():
        first, second = getattr(mine, name, None), getattr(theirs, name, None)
        if first is not None and second is not None:
            torch.testing.assert_close(first, second, rtol=0, atol=atol)


# --- there and back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES)
def test_saved_and_loaded_it_is_the_same(tmp_path, name):
    model, (again, words) = our_model(name), load_pretrained(saved(tmp_path, name))
    assert type(again) is type(model) and again.config == model.config and not again.training
    state, loaded = model.state_dict(), again.state_dict()
    assert list(state) == list(loaded)
    assert all(torch.equal(state[key], loaded[key]) for key in state)
    assert all(parameter.requires_grad for parameter in again.parameters())
    assert words.vocab == tokenizer().vocab
    files = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
    assert sorted(os.listdir(tmp_path / "model")) == files


def test_saved_files_may_be_read_like_any_new_file(tmp_path):
    before = os.umask(0o022)
    try:
        place = saved(tmp_path)
    finally:
        os.umask(before)
    modes = {oct(file.stat().st_mode & 0o777) for file in place.iterdir()}
    assert modes == {"0o644"} and place.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", CLASSES)
def test_saved_by_us_and_opened_by_the_reference(tmp_path, name):
    reference, report = getattr(transformers, name).from_pretrained(
        saved(tmp_path, name), output_loading_info=True
    )
    assert not report["missing_keys"] and not report["unexpected_keys"] and not report["mismatched_keys"]
    same_numbers(our_model(name), reference.eval())


@pytest.mark.parametrize("name", CLASSES)
def test_saved_by_the_reference_and_opened_by_us(tmp_path, name):
    labels = {"num_labels": 5} if "Classification" in name else {}
    torch.manual_seed(1)
    reference = getattr(transformers, name)(transformers.BertConfig(**SIZES, **labels)).eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.3)
    reference.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    model, _ = load_pretrained(tmp_path)
    assert type(model) is our_class(name)
    same_numbers(model, reference)


def test_the_reference_reads_our_tokenizer(tmp_path):
    text = "배를 bank River é zzz."
    for number, rules in enumerate(
        [{}, {"lowercase": False, "strip_accents": False}, {"strip_accents": False}]
    ):
        place = tmp_path / str(number)
        save_pretrained(our_model(), tokenizer(**rules), place)
        reference = transformers.AutoTokenizer.from_pretrained(place)
        _, ours = load_pretrained(place)
        kept = {"lowercase": True, "strip_accents": True} | rules
        assert (ours.lowercase, ours.strip_accents) == tuple(kept.values())
        expected = tokenizer(**rules).encode(text).input_ids
        assert reference(text)["input_ids"] == ours.encode(text).input_ids == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (None, (True, True)),
        ({}, (True, True)),
        ({"do_lower_case": False}, (False, False)),
        ({"do_lower_case": True, "strip_accents": None}, (True, True)),
        ({"do_lower_case": True, "strip_accents": False}, (True, False)),
        ({"do_lower_case": False, "strip_accents": True}, (False, True)),
    ],
)
def test_case_and_accents_as_in_the_reference(tmp_path, settings, expected):
    place = saved(tmp_path)
    (place / "tokenizer_config.json").unlink()
    if settings is not None:
        (place / "tokenizer_config.json").write_text(json.dumps(settings))
    _, words = load_pretrained(place)
    assert (words.lowercase, words.strip_accents) == expected


# --- types, shards, old names, copies -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_on_disk_is_float32_in_memory(tmp_path, dtype):
    place = saved(tmp_path, dtype=dtype)
    assert {tensor.dtype for tensor in load_file(place / "model.safetensors").values()} == {dtype}
    model, _ = load_pretrained(place)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    same_numbers(model, our_model(), atol=0.1)
    half, _ = load_pretrained(place, dtype=dtype)
    assert {parameter.dtype for parameter in half.parameters()} == {dtype}


def test_shards_are_put_together(tmp_path):
    place = saved(tmp_path)
    tensors = load_file(place / "model.safetensors")
    (place / "model.safetensors").unlink()
    where = {}
    for number, names in enumerate([sorted(tensors)[::2], sorted(tensors)[1::2]], start=1):
        file = f"model-0000{number}-of-00002.safetensors"
        save_file({name: tensors[name] for name in names}, place / file)
        where |= dict.fromkeys(names, file)
    index = place / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": where}))
    same_numbers(load_pretrained(place)[0], our_model(), atol=0)

    index.write_text(json.dumps({"weight_map": {k: v for k, v in where.items() if k != sorted(where)[3]}}))
    with pytest.raises(DamagedFile, match="disagree about"):
        load_pretrained(place)
    index.write_text(json.dumps({"weight_map": where | {sorted(where)[0]: "../other.safetensors"}}))
    with pytest.raises(DamagedFile, match=r"got '../other.safetensors'"):
        load_pretrained(place)
    index.write_text(json.dumps({"weight_map": where}))
    (place / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(MissingFile, match="no model-00002-of-00002.safetensors"):
        load_pretrained(place)


def test_a_large_model_saved_in_shards_by_the_reference(tmp_path):
    reference = transformers.BertModel(transformers.BertConfig(**SIZES)).eval()
    reference.save_pretrained(tmp_path, max_shard_size=3000)
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS), encoding="utf-8")
    assert not (tmp_path / "model.safetensors").exists()
    same_numbers(load_pretrained(tmp_path)[0], reference)


def test_old_names_copies_and_counted_positions_are_understood(tmp_path):
    place = saved(tmp_path)

    def age(tensors):
        for name in list(tensors):
            old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
            tensors[old] = tensors.pop(name)
        tensors["bert.embeddings.position_ids"] = torch.arange(19)[None]
        tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"].clone()
        tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"].clone()

    change_weights(place, age)
    assert "bert.embeddings.LayerNorm.gamma" in load_file(place / "model.safetensors")
    same_numbers(load_pretrained(place)[0], our_model(), atol=0)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("cls.predictions.decoder.weight", torch.zeros(13, 12), "untied decoder"),
        ("cls.predictions.decoder.bias", torch.ones(13), "untied decoder"),
        ("bert.embeddings.position_ids", torch.arange(1, 20)[None], "other positions"),
        ("bert.encoder.layer.0.attention.self.distance.weight", torch.zeros(37, 4), "unknown: .*distance"),
    ],
)
def test_tensors_that_would_be_dropped_silently_are_refused(tmp_path, name, change, message):
    place = saved(tmp_path)
    change_weights(place, lambda tensors: tensors.update({name: change}))
    with pytest.raises((UnsupportedModel, TensorMismatch), match=message):
        load_pretrained(place)


def test_with_and_without_the_prefix(tmp_path):
    plain, prefixed = saved(tmp_path / "a", "BertModel"), saved(tmp_path / "b", "BertModel")

    def add(tensors):
        for name in list(tensors):
            tensors[f"bert.{name}"] = tensors.pop(name)

    change_weights(prefixed, add)
    same_numbers(load_pretrained(plain)[0], load_pretrained(prefixed)[0], atol=0)
    change_weights(prefixed, lambda t: t.update({"pooler.dense.bias": t["bert.pooler.dense.bias"].clone()}))
    with pytest.raises(TensorMismatch, match=r"two tensors are both pooler\.dense\.bias"):
        load_pretrained(prefixed)


@pytest.mark.parametrize("wrapper", ["_orig_mod.", "module.", "module._orig_mod."])
def test_the_names_that_torch_gives_a_model_it_wraps(tmp_path, wrapper):
    place = saved(tmp_path)
    change_weights(place, lambda ts: [ts.update({wrapper + name: ts.pop(name)}) for name in list(ts)])
    same_numbers(load_pretrained(place)[0], our_model(), atol=0)


def test_a_compiled_model_and_one_whose_layers_share_their_parameters_are_saved(tmp_path):
    model = our_model()
    model.bert.encoder.layers[1] = model.bert.encoder.layers[0]
    save_pretrained(torch.compile(model), tokenizer(), tmp_path / "model")
    same_numbers(load_pretrained(tmp_path / "model")[0], model, atol=0)


def test_weights_on_a_disk_that_cannot_be_mapped_are_not_called_damaged(tmp_path, monkeypatch):
    def not_mapped(*_, **__):
        raise OSError("No such device (os error 19)")  # as safetensors says on some network disks

    place = saved(tmp_path)
    monkeypatch.setattr(weights_module, "safe_open", not_mapped)
    with pytest.raises(
        OSError, match=r"cannot be read \(No such device .*: copy its folder to a disk of this machine"
    ):
        load_pretrained(place)


# --- which class ------------------------------------------------------------------------------------------------


def test_parts_are_left_out_when_asked(tmp_path):
    place = saved(tmp_path)
    for name in ("BertModel", "BertForMaskedLM", "BertForNextSentencePrediction"):
        model, _ = load_pretrained(place, model_class=our_class(name))
        assert type(model) is our_class(name)
        whole = our_model().state_dict()
        for key, tensor in model.state_dict().items():
            assert torch.equal(tensor, whole[f"bert.{key}" if name == "BertModel" else key])
    with pytest.raises(TensorMismatch, match=r"missing: classifier\.bias, classifier\.weight"):
        load_pretrained(place, model_class=heads.BertForSequenceClassification)


def test_a_model_without_pooler(tmp_path):
    save_pretrained(our_model("BertModel", pooler=False), tokenizer(), tmp_path / "m")
    model, _ = load_pretrained(tmp_path / "m")
    assert model.pooler is None
    with pytest.raises(TensorMismatch, match="missing: cls.seq_relationship.bias, .*pooler"):
        load_pretrained(tmp_path / "m", model_class=heads.BertForNextSentencePrediction)


def test_a_pooler_that_the_head_does_not_use_may_stand_in_the_file(tmp_path):
    place = saved(tmp_path, "BertForMaskedLM")
    pooler = {"bert.pooler.dense.weight": torch.ones(12, 12), "bert.pooler.dense.bias": torch.ones(12)}
    change_weights(place, lambda tensors: tensors.update(pooler))
    assert type(load_pretrained(place)[0]) is heads.BertForMaskedLM


def test_a_classifier_of_unknown_kind_is_refused(tmp_path):
    place = saved(tmp_path, "BertForTokenClassification")
    change_config(place, architectures=...)
    with pytest.raises(UnsupportedModel, match="give model_class"):
        load_pretrained(place)
    model, _ = load_pretrained(place, model_class=heads.BertForTokenClassification)
    assert model.num_labels == 5


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"model_type": "roberta"}, UnsupportedModel, "model_type is 'roberta'"),
        ({"position_embedding_type": "relative_key_query"}, UnsupportedModel, "'relative_key_query'"),
        ({"hidden_act": "silu"}, UnsupportedModel, "hidden_act is 'silu'"),
        ({"hidden_act": []}, BadJSON, r"config\.json: hidden_act must be a text, got list"),
        ({"is_decoder": True}, UnsupportedModel, "is_decoder is True"),
        ({"architectures": ["BertLMHeadModel"]}, UnsupportedModel, "is 'BertLMHeadModel'"),
        ({"architectures": "BertModel"}, BadJSON, "architectures must be a list, got 'BertModel'"),
        ({"num_attention_heads": ..., "vocab_size": ...}, ConfigError, "lacks num_attention_heads, vocab"),
        ({"vocab_size": "13"}, ConfigError, "vocab_size"),
        ({"hidden_size": float("inf")}, ConfigError, "hidden_size"),
        ({"layer_norm_eps": float("nan")}, ConfigError, "layer_norm_eps"),
        ({"layer_norm_eps": -1}, ConfigError, "layer_norm_eps"),
        ({"initializer_range": 0.0}, ConfigError, r"config.json: .* above 0, got 0.0"),
        ({"num_attention_heads": 5}, ConfigError, "num_attention_heads"),
        ({"hidden_size": 15}, TensorMismatch, r"must have shape \(13, 15\) by config.json, got \(13, 12\)"),
        ({"hidden_size": 3 * 10**15}, ConfigError, "config.json: "),  # no such model can be made
        (
            {"num_hidden_layers": 20_000},
            TensorMismatch,
            "is 20000 in .* the weights have 2 layers",
        ),  # at once
        ({"num_hidden_layers": 1}, TensorMismatch, "num_hidden_layers is 1 in .* the weights have 2 layers"),
        ({"max_position_embeddings": 23}, TensorMismatch, r"position_.* must have shape \(23, 12\)"),
        ({"intermediate_size": 19}, TensorMismatch, r"intermediate.* must have shape \(19, 12\)"),
        ({"tokenizer_vocab_size": "12"}, BadJSON, "tokenizer_vocab_size must be a whole number, got '12'"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(tmp_path, change, error, message):
    place = saved(tmp_path)
    change_config(place, **change)
    with pytest.raises(error, match=message):
        load_pretrained(place)


def test_the_config_of_2018_lacks_the_eps(tmp_path):
    place = saved(tmp_path)
    change_config(place, layer_norm_eps=..., model_type=..., architectures=..., is_decoder=...)
    assert load_pretrained(place)[0].config.layer_norm_eps == 1e-12


@pytest.mark.parametrize(
    "tensor", ["bert.encoder.layer.1.output.dense.bias", "cls.predictions.bias", "bert.pooler.dense.weight"]
)
def test_a_missing_tensor_is_named(tmp_path, tensor):
    place = saved(tmp_path)
    change_weights(place, lambda tensors: tensors.pop(tensor))
    with pytest.raises(TensorMismatch, match=f"missing: {tensor.removeprefix('bert.')}"):
        load_pretrained(place)


@pytest.mark.parametrize("dtype", [torch.int8, torch.complex64])
def test_quantised_and_complex_weights_are_refused(tmp_path, dtype):
    place = saved(tmp_path)
    change_weights(place, lambda t: t.update({"cls.predictions.bias": torch.ones(13, dtype=dtype)}))
    with pytest.raises(UnsupportedModel, match=f"cls.predictions.bias is {dtype}: quantised and complex"):
        load_pretrained(place)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("stored", [torch.float32, torch.float16])
def test_weights_that_are_not_finite_are_refused_by_name(tmp_path, number, stored):
    place = saved(tmp_path, dtype=stored)
    name = "bert.encoder.layer.1.output.dense.weight"
    change_weights(place, lambda tensors: tensors[name][7].__setitem__(5, number))
    with pytest.raises(DamagedFile, match="layer.1.output.dense.weight must hold finite numbers, got NaN or"):
        load_pretrained(place)


def test_weights_that_a_narrow_type_cannot_hold(tmp_path):
    place = saved(tmp_path)
    change_weights(place, lambda tensors: tensors["bert.pooler.dense.bias"].__setitem__(3, 7e4))
    assert float(load_pretrained(place, dtype=torch.bfloat16)[0].bert.pooler.dense.bias[3].detach()) > 6e4
    with pytest.raises(DamagedFile, match=r"pooler.dense.bias must hold finite numbers, .* torch\.float16"):
        load_pretrained(place, dtype=torch.float16)


def test_a_file_cut_off_anywhere_is_refused(tmp_path):
    place = saved(tmp_path)
    whole = (place / "model.safetensors").read_bytes()
    for length in (0, 5, 8, 100, len(whole) // 2, len(whole) - 1):
        (place / "model.safetensors").write_bytes(whole[:length])
        with pytest.raises(DamagedFile, match=str(length)):
            load_pretrained(place)
    (place / "model.safetensors").write_bytes(whole + b"x")
    with pytest.raises(DamagedFile, match="must be a whole safetensors file"):
        load_pretrained(place)


@pytest.mark.parametrize(
    "content",
    [
        b"<html><body>Sign in to the school network</body></html>",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n",
        struct.pack("<Q", 15) + b"no JSON at all!",
        struct.pack("<Q", 100_000) + b"[" * 100_000,
        struct.pack("<Q", 2**63) + b"{}",
    ],
)
def test_something_else_than_safetensors_is_refused(tmp_path, content):
    place = saved(tmp_path)
    (place / "model.safetensors").write_bytes(content)
    with pytest.raises(DamagedFile):
        load_pretrained(place)


def test_pickles_are_never_opened(tmp_path):
    place = saved(tmp_path)
    torch.save({"a": torch.ones(3)}, place / "model.safetensors")
    with pytest.raises(PickleRefused, match="is a pickle under another name"):
        load_pretrained(place)
    torch.save({"a": torch.ones(3)}, place / "model.safetensors", _use_new_zipfile_serialization=False)
    with pytest.raises(PickleRefused, match="is a pickle under another name"):
        load_pretrained(place)
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    with pytest.raises(PickleRefused, match=r"only as pytorch_model.bin: a pickle can run any code"):
        load_pretrained(place)
    (place / "pytorch_model.bin").unlink()
    with pytest.raises(MissingFile, match="has no weights"):
        load_pretrained(place)


@pytest.mark.parametrize("file", ["config.json", "vocab.txt"])
def test_a_missing_file_is_named(tmp_path, file):
    place = saved(tmp_path)
    (place / file).unlink()
    with pytest.raises(MissingFile, match=f"has no {file}"):
        load_pretrained(place)


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xfe{}", b"", b"[" * 100_000])
def test_a_damaged_config_is_refused(tmp_path, content):
    place = saved(tmp_path)
    (place / "config.json").write_bytes(content)
    with pytest.raises(BadJSON, match=r"config.json must"):
        load_pretrained(place)


def test_a_damaged_or_foreign_vocabulary_is_refused(tmp_path):
    place = saved(tmp_path)
    (place / "vocab.txt").write_text("\n".join([*TOKENS, "one", "two"]), encoding="utf-8")
    with pytest.raises(TensorMismatch, match="has 14 tokens, but the model has vectors for 13 only"):
        load_pretrained(place)
    (place / "vocab.txt").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="empty"):
        load_pretrained(place)


def test_a_vocabulary_that_was_cut_short_is_refused(tmp_path):
    place = saved(tmp_path)
    (place / "vocab.txt").write_text("\n".join(TOKENS[:-1]) + "\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"vocab\.txt must have the 12 tokens it was saved with, got 11"):
        load_pretrained(place)
    change_config(place, tokenizer_vocab_size=...)  # of another program: a few vectors more may stand there
    load_pretrained(place)
    for size, fits in ((11 + 127, True), (11 + 128, False)):
        change_config(place, vocab_size=size)
        longer = {
            "bert.embeddings.word_embeddings.weight": torch.ones(size, 12),
            "cls.predictions.bias": torch.ones(size),
        }
        change_weights(place, lambda tensors, longer=longer: tensors.update(longer))
        with nullcontext() if fits else pytest.raises(DamagedFile, match="vectors, 139, got 11"):
            load_pretrained(place)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"tokenizer_class": "BertJapaneseTokenizer"}, UnsupportedModel, "is 'BertJapaneseTokenizer'"),
        ({"tokenize_chinese_chars": False}, UnsupportedModel, "tokenize_chinese_chars False"),
        ({"do_lower_case": "false"}, BadJSON, "do_lower_case must be true or false, got 'false'"),
        ({"do_lower_case": None}, BadJSON, "do_lower_case must be true or false, got NoneType"),
        ({"strip_accents": "no"}, BadJSON, "strip_accents must be true or false, got 'no'"),
        ({"tokenizer_class": []}, BadJSON, "tokenizer_class must be a text, got list"),
    ],
)
def test_another_tokenizer_and_settings_of_another_kind_are_refused(tmp_path, settings, error, message):
    place = saved(tmp_path)
    (place / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(error, match=rf"tokenizer_config\.json: .*{message}"):
        load_pretrained(place)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder that is shipped with the course, with its sums."""
    place = saved(tmp_path)
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in place.iterdir()}
    table = {"sha256": sums, "senses": {"layer": 1, "temperature": 2.0}}
    for module in (sources, checkpoints):
        monkeypatch.setattr(module, "CHECKPOINTS", place.parent)
        monkeypatch.setattr(module, "course_checkpoints", lambda: {place.name: table})
    monkeypatch.setattr(sources, "DEFAULT", place.name)
    return place


def test_without_a_name_it_is_the_courses_own_checkpoint(shipped):
    same_numbers(load_pretrained()[0], our_model(), atol=0)
    shutil.rmtree(shipped)
    with pytest.raises(ModelNotFound, match="the course's checkpoint .* is not here") as caught:
        load_pretrained()
    assert isinstance(caught.value, FileNotFoundError) and "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors"])
def test_one_flipped_bit_in_the_courses_own_checkpoint_is_seen(shipped, file):
    content = bytearray((shipped / file).read_bytes())
    content[len(content) // 2] ^= 1
    (shipped / file).write_bytes(content)
    for name in (None, shipped, f"{shipped.parent}/../{shipped.parent.name}/{shipped.name}"):
        with pytest.raises(ChecksumMismatch) as caught:
            load_pretrained(name)
        told = (
            f"{shipped / file} is not as the course ships it: `git -C {shipped} checkout -- .` brings it back"
        )
        assert str(caught.value).startswith(told)


def test_a_file_that_the_courses_own_checkpoint_lacks_is_named(shipped):
    (shipped / "vocab.txt").unlink()
    with pytest.raises(MissingFile, match=r"has no vocab\.txt"):
        load_pretrained()


def test_a_model_elsewhere_is_not_compared(shipped, tmp_path):
    save_pretrained(our_model("BertModel"), tokenizer(), tmp_path / "mine")
    assert type(load_pretrained(tmp_path / "mine")[0]) is BertModel


# --- saving -----------------------------------------------------------------------------------------------------


def test_a_full_disk_leaves_the_old_model(tmp_path, monkeypatch):
    place = saved(tmp_path)
    before = {file.name: file.read_bytes() for file in place.iterdir()}

    def full(*_):
        raise OSError(28, "No space left on device")

    for failing in ("write_weights", "save_vocab", "_write_json"):
        with monkeypatch.context() as patch:
            patch.setattr(folder_module, failing, full)
            with pytest.raises(OSError, match="No space left"):
                save_pretrained(our_model("BertModel"), tokenizer(), place)
        assert {file.name: file.read_bytes() for file in place.iterdir()} == before
        assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_a_rename_that_fails_puts_the_old_model_back(tmp_path, monkeypatch):
    place = saved(tmp_path)
    rename = type(place).rename

    def fails(self, target):
        if self.name.endswith(".new"):
            raise PermissionError("no")
        return rename(self, target)

    monkeypatch.setattr(type(place), "rename", fails)
    with pytest.raises(PermissionError):
        save_pretrained(our_model("BertModel"), tokenizer(), place)
    assert type(load_pretrained(place)[0]) is heads.BertForPreTraining
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks")
def test_after_a_kill_between_the_two_renames_the_next_save_leaves_one_model(tmp_path, monkeypatch):
    place = saved(tmp_path)
    rename = type(place).rename

    def killed(self, target):
        if self.name.endswith(".new"):
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(self, target)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(type(place), "rename", killed)
        save_pretrained(our_model("BertModel"), tokenizer(), place)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (aside,) = tmp_path.glob(".model.*.old")
    assert not place.exists() and type(load_pretrained(aside)[0]) is heads.BertForPreTraining
    save_pretrained(our_model("BertModel"), tokenizer(), place)
    assert type(load_pretrained(place)[0]) is BertModel and not list(tmp_path.glob(".model.*.old"))


def test_a_model_is_replaced_wholly_and_nothing_else_is_touched(tmp_path):
    place = saved(tmp_path)
    save_pretrained(our_model("BertModel"), tokenizer(), place)
    assert type(load_pretrained(place)[0]) is BertModel and os.listdir(tmp_path) == ["model"]
    (tmp_path / "empty").mkdir()
    save_pretrained(our_model(), tokenizer(), tmp_path / "empty")
    save_pretrained(our_model(), tokenizer(), tmp_path / "new" / "deep" / "folder")
    for folder in ("empty", "new/deep/folder"):
        assert set(os.listdir(tmp_path / folder)) == folder_module.SAVED


@pytest.mark.parametrize("name", ["thesis.txt", "tokenizer.json", "model.safetensors.index.json", ".hidden"])
def test_a_folder_with_anything_more_is_somebodys(tmp_path, name):
    """A model from the hub has a tokenizer.json, too, which no save would bring back."""
    place = saved(tmp_path)
    (place / name).write_text("mine")
    refused_untouched(place, rf"does not write \({name}\) and would be lost; choose another")


@pytest.mark.parametrize("name", sorted(folder_module.SAVED))
def test_a_folder_with_anything_less_is_somebodys(tmp_path, name):
    """Many things have a config.json."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine")
    refused_untouched(tmp_path / "mine", f"holds {name} and is no model that save_pretrained wrote")
    refused_untouched(tmp_path / "mine" / name, "is no model that save_pretrained wrote")
    (tmp_path / "other" / name).mkdir(parents=True)
    refused_untouched(tmp_path / "other", "does not write")


def refused_untouched(place, match):
    def files():
        return {str(path): path.is_file() and path.read_bytes() for path in place.parent.rglob("*")}

    before = files()
    with pytest.raises(ValueError, match=match) as error:
        save_pretrained(our_model(), tokenizer(), place)
    assert files() == before and "\n" not in str(error.value)


@pytest.mark.parametrize("folder", [".", "", "..", "../here/../here", "absolute", "link", "below/.."])
@pytest.mark.parametrize("holds_a_model", [False, True])
def test_the_working_directory_stays(tmp_path, monkeypatch, folder, holds_a_model):
    """It would be replaced by another of the same name, and the kernel would stand in one that is gone."""
    here = tmp_path / "here"
    here.mkdir()
    if holds_a_model:
        save_pretrained(our_model(), tokenizer(), here)
    (tmp_path / "link").symlink_to(here)
    monkeypatch.chdir(here)
    inode = here.stat().st_ino
    folder = {"absolute": here, "link": tmp_path / "link"}.get(folder, folder)
    with pytest.raises(ValueError, match="is the working directory, or holds it, and cannot be replaced"):
        save_pretrained(our_model(), tokenizer(), folder)
    assert here.stat().st_ino == inode == os.stat(".").st_ino
    assert set(os.listdir(here)) == (folder_module.SAVED if holds_a_model else set())
    assert set(os.listdir(tmp_path)) == {"here", "link"}
    save_pretrained(our_model(), tokenizer(), "below")
    assert set(os.listdir(here / "below")) == folder_module.SAVED


def test_what_comes_into_the_folder_during_a_save_is_kept(tmp_path, monkeypatch):
    place = saved(tmp_path)
    rename = type(place).rename

    def meanwhile(self, target):
        if self == place:
            (place / "thesis.txt").write_text("mine")
        return rename(self, target)

    monkeypatch.setattr(type(place), "rename", meanwhile)
    save_pretrained(our_model("BertModel"), tokenizer(), place)
    assert type(load_pretrained(place)[0]) is BertModel
    (kept,) = tmp_path.glob(".model.*.old/*")
    assert kept.name == "thesis.txt" and kept.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.nn.Linear(2, 2), tokenizer()), "model must be one of BertForMaskedLM, .* got Linear"),
        ((our_model(), tokenizer("a", "b")), "has 14 tokens, but the model has vectors for 13 only"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        save_pretrained(*arguments, tmp_path / "m")
    with pytest.raises(ValueError, match="dtype must be one of"):
        save_pretrained(our_model(), tokenizer(), tmp_path / "m", dtype=torch.int8)
    assert not (tmp_path / "m").exists()


# --- the table of names -----------------------------------------------------------------------------------------


def test_the_table_is_one_to_one_and_wholly_used():
    assert len(set(MODULES.values())) == len(MODULES)
    used = {name for model in map(our_model, CLASSES) for name in model.state_dict()}
    theirs = {reference_name(name).rpartition(".")[0] for name in used}
    assert {name.format(1) for name in MODULES.values()} <= theirs


def test_names_by_hand():
    ours = "bert.encoder.layers.11.feed_forward.contract.weight"
    assert reference_name(ours) == "encoder.layer.11.output.dense.weight"
    assert reference_name("mlm.bias") == "cls.predictions.bias"
    with pytest.raises(KeyError):
        reference_name("encoder.layers.0.new_part.weight")
