"""Tokenizers as `transformers` saves them, today and in earlier years: the same ids, nothing lost, or a refusal."""

import json
import random
import subprocess
import sys
import warnings
from contextlib import nullcontext

import pytest
import torch
import transformers
from safetensors.torch import load_file
from tokenizers import AddedToken

from course_utils import heads
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.datasets.corpus import read_documents
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.errors import ConfigError, PickleRefused, UnsupportedModel
from course_utils.pretrained.tokenizer_json import MUST_BE
from course_utils.support.foreign_json import BadJSON
from course_utils.support.paths import CHECKPOINTS, DATA
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import load_vocab

VOCAB = load_vocab(CHECKPOINTS / "course-bert" / "vocab.txt")
SIZES = dict(
    hidden_size=6,
    num_attention_heads=3,
    intermediate_size=5,
    num_hidden_layers=1,
    max_position_embeddings=512,
)
ADDED = [
    "KoBERT",
    AddedToken("이모티콘", lstrip=True, rstrip=True),
    AddedToken("New York", single_word=True),
    AddedToken("😀", normalized=False),
    AddedToken("배", single_word=True, normalized=True),
]
FILE, SETTINGS = "tokenizer.json", "tokenizer_config.json"


def folder(at, *, added=ADDED, special=("[E1]",), rules=None):
    """What `transformers` saves."""
    rules = rules or {"do_lower_case": False, "strip_accents": False}
    tokenizer = transformers.BertTokenizer(vocab=dict(VOCAB), **rules)
    tokenizer.add_tokens(list(added))
    tokenizer.add_special_tokens({"extra_special_tokens": list(special)})
    config = transformers.BertConfig(vocab_size=len(tokenizer), num_labels=3, **SIZES)
    torch.manual_seed(0)
    transformers.BertForSequenceClassification(config).save_pretrained(at)
    tokenizer.save_pretrained(at)
    return at


def change(path, **changes):
    """Set keys of a JSON file, a__b for b inside a; ... removes one."""
    content = json.loads(path.read_text()) if path.is_file() else {}
    for key, value in changes.items():
        *parents, name = key.split("__")
        part = content
        for parent in parents:
            part = part[parent]
        part[name] = value
        if value is ...:
            del part[name]
    path.write_text(json.dumps(content, ensure_ascii=False))


def today(at):
    pass


def any_backend(at):
    change(at / SETTINGS, tokenizer_class="PreTrainedTokenizerFast")


def with_lines(at):
    (at / "vocab.txt").write_text("".join(f"{token}\n" for token in VOCAB))


def of_2023(at):
    decoder = {str(token.pop("id")): token for token in json.loads((at / FILE).read_text())["added_tokens"]}
    change(at / SETTINGS, added_tokens_decoder=decoder)
    with_lines(at)
    (at / FILE).unlink()


def of_2020(at):
    ids = {token["content"]: token["id"] for token in json.loads((at / FILE).read_text())["added_tokens"]}
    change(
        at / "added_tokens.json", **{token: number for token, number in ids.items() if number >= len(VOCAB)}
    )
    named = {"content": "[MASK]", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False}
    change(at / "special_tokens_map.json", mask_token=named, additional_special_tokens=["[E1]"])
    change(at / SETTINGS, extra_special_tokens=..., mask_token=...)
    with_lines(at)
    (at / FILE).unlink()


def texts(number):
    """Sentences of the course, with added tokens strewn in."""
    draw = random.Random(11)
    rows = [line for path in sorted((DATA / "tasks").glob("*.tsv")) for line in path.read_text().splitlines()]
    rows += [sentence for document in read_documents(DATA / "corpus") for sentence in document]
    strewn = []
    for row in draw.sample(rows, number):
        words = row.split(" ")
        for _ in range(draw.randrange(4)):
            name = draw.choice(
                ["KoBERT", "kobert", "이모티콘", "New York", "new york", "😀", "배", "[E1]", "[MASK]"]
            )
            words.insert(
                draw.randrange(len(words) + 1),
                draw.choice([name, f"{name}을", name * 2, f"x{name}", f"({name})"]),
            )
        strewn.append(draw.choice([" ", "  "]).join(words))
    return strewn


@pytest.mark.parametrize("form", [today, any_backend, with_lines, of_2023, of_2020])
@pytest.mark.parametrize("number", [211, pytest.param(2000, marks=pytest.mark.rare)])
def test_ids_are_those_of_the_reference_and_stay_so(tmp_path, form, number):
    form(at := folder(tmp_path / "theirs"))
    model, tokenizer = load_pretrained(at)
    save_pretrained(model, tokenizer, tmp_path / "back")
    theirs, back = (transformers.AutoTokenizer.from_pretrained(place) for place in (at, tmp_path / "back"))
    _, again = load_pretrained(tmp_path / "back")
    for text in texts(number):
        expected = theirs(text, truncation=True, max_length=512)["input_ids"]
        assert (
            tokenizer.encode(text).input_ids
            == expected
            == back(text, truncation=True, max_length=512)["input_ids"]
        )
        assert again.encode(text).input_ids == expected and again.decode(expected) == tokenizer.decode(
            expected
        )
    special = [token.content for token in tokenizer.added.values() if token.special]
    assert sorted(theirs.all_special_tokens) == sorted(back.all_special_tokens) == sorted(special)
    assert again.added == tokenizer.added


def test_a_lower_cased_model(tmp_path):
    at = folder(tmp_path, added=["KoBERT"], rules={"do_lower_case": True, "strip_accents": None})
    with pytest.warns(UserWarning, match=r'9\d\d\d of 10000 tokens.*\[UNK\].*"do_lower_case": false'):
        _, tokenizer = load_pretrained(at)
    text = "Café 배 kobert"
    assert (
        tokenizer.encode(text).input_ids == transformers.AutoTokenizer.from_pretrained(at)(text)["input_ids"]
    )


def test_settings_and_labels_come_back(tmp_path):
    at = folder(tmp_path / "theirs")
    labels = {
        "id2label": {"0": "좋음", "1": "보통", "2": "나쁨"},
        "label2id": {"좋음": 0, "보통": 1, "나쁨": 2},
    }
    kept = labels | {
        "problem_type": "multi_label_classification",
        "classifier_dropout": 0.3,
        "my_note": [1, {"a": 2}],
    }
    change(at / "config.json", **kept)
    change(at / SETTINGS, model_max_length=77, padding_side="left", my_note="x")
    model, tokenizer = load_pretrained(at)
    save_pretrained(model, tokenizer, tmp_path / "back", dtype=torch.float16)
    saved = json.loads((tmp_path / "back" / "config.json").read_text())
    assert {key: saved[key] for key in kept} == kept and "dtype" not in saved
    saved = json.loads((tmp_path / "back" / SETTINGS).read_text())
    assert (saved["model_max_length"], saved["padding_side"], saved["my_note"]) == (77, "left", "x")
    reference = transformers.BertForSequenceClassification.from_pretrained(tmp_path / "back")
    assert reference.config.id2label[2] == "나쁨" and reference.dtype == torch.float16
    model.kept_settings = model.kept_settings | {"id2label": {"0": "only one"}}  # of another head
    save_pretrained(model, tokenizer, tmp_path / "back")
    assert len(json.loads((tmp_path / "back" / "config.json").read_text())["id2label"]) == 3


def test_our_own_model_enlarged_by_the_reference(tmp_path):
    """Its config.json still says how many tokens vocab.txt had."""
    model = heads.BertForMaskedLM(BertConfig(vocab_size=len(VOCAB), **SIZES)).eval()
    save_pretrained(model, WordPieceTokenizer(VOCAB, lowercase=False, strip_accents=False), tmp_path / "ours")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    tokenizer.add_tokens(["KoBERT"])
    reference = transformers.BertForMaskedLM.from_pretrained(tmp_path / "ours")
    reference.resize_token_embeddings(len(tokenizer))
    for part in (reference, tokenizer):
        part.save_pretrained(tmp_path / "theirs")
    again, words = load_pretrained(tmp_path / "theirs")
    assert words.encode("KoBERT").input_ids == [2, len(VOCAB), 3]
    assert torch.equal(again.bert.embeddings.token.weight[:-1], model.bert.embeddings.token.weight)


@pytest.mark.parametrize(
    ("file", "changes", "message"),
    [
        (FILE, {"model__type": "Unigram"}, r"model\.type is 'Unigram', and only BERT's 'WordPiece'"),
        (FILE, {"model__type": ..., "model__merges": []}, r"model\.type is 'BPE'"),
        (FILE, {"model__continuing_subword_prefix": "@@"}, "continuing_subword_prefix is '@@'"),
        (FILE, {"model__unk_token": "<unk>"}, "unk_token is '<unk>'"),
        (FILE, {"model__max_input_chars_per_word": 200}, "max_input_chars_per_word is 200"),
        (FILE, {"model__vocab__배": 3}, r"ids of model\.vocab must be 0 … 9999, each once"),
        (FILE, {"normalizer": None}, r"normalizer\.type is None"),
        (FILE, {"normalizer": {"type": "NFC"}}, r"normalizer\.type is 'NFC'"),
        (FILE, {"normalizer__handle_chinese_chars": False}, "handle_chinese_chars is False"),
        (FILE, {"normalizer__clean_text": False}, "clean_text is False"),
        (
            FILE,
            {"normalizer__lowercase": True},
            "False and False by tokenizer_config.json, True and False by",
        ),
        (FILE, {"pre_tokenizer": {"type": "Whitespace"}}, r"pre_tokenizer\.type is 'Whitespace'"),
        (
            FILE,
            {"post_processor": {"type": "RobertaProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]}},
            r"'RobertaProcessing' and does not make \[CLS\]",
        ),
        (
            FILE,
            {"added_tokens": [{"id": 10_007, "content": "xyzzy"}]},
            "'xyzzy' has id 10007, .* gives it 10000, .* write 10000",
        ),
        (
            FILE,
            {"added_tokens": [{"id": 3, "content": "배"}]},
            "'배' has id 3, and `transformers` gives it 744",
        ),
        (SETTINGS, {"cls_token": "<s>"}, r"cls_token is '<s>', and only '\[CLS\]'"),
        (SETTINGS, {"split_special_tokens": True}, "split_special_tokens is true"),
        (SETTINGS, {"tokenizer_class": "KoBertTokenizer"}, "is 'KoBertTokenizer'"),
        (
            SETTINGS,
            {"added_tokens_decoder": {"10003": {"content": "KoBERT"}}},
            "has two ids, 10003 and 10000",
        ),
    ],
)
def test_what_is_not_berts_is_named(tmp_path, file, changes, message):
    change(folder(tmp_path, special=()) / file, **changes)
    with pytest.raises((UnsupportedModel, ConfigError, BadJSON), match=message) as caught:
        load_pretrained(tmp_path)
    assert "\n" not in str(caught.value)


def test_nothing_need_be_said_that_is_as_usual(tmp_path):
    """Files of earlier years lack some of it; a tokenizer.json without settings is believed."""
    at = folder(tmp_path)
    change(
        at / FILE,
        **{f"model__{key}": ... for key in MUST_BE["model"] if key != "unk_token"},
    )
    change(at / FILE, post_processor={"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]})
    (at / SETTINGS).unlink()
    _, tokenizer = load_pretrained(at)
    assert (tokenizer.lowercase, tokenizer.strip_accents) == (False, False)


def test_flags_that_are_not_said_are_those_of_the_reference(tmp_path):
    """A special token is looked for as typed; any other is normalised, like the text in which it is looked for."""
    at = folder(tmp_path, added=["Ab", "Cd"], special=[])
    with_lines(at)
    (at / FILE).unlink()
    decoder = {"10000": {"content": "Ab", "special": True}, "10001": {"content": "Cd"}}
    change(at / SETTINGS, added_tokens_decoder=decoder, extra_special_tokens=["배"])
    _, tokenizer = load_pretrained(at)
    typed = {token.content for token in tokenizer.added.values() if not token.normalized}
    theirs = transformers.AutoTokenizer.from_pretrained(at).added_tokens_decoder.values()
    assert typed == {token.content for token in theirs if not token.normalized} >= {"Ab", "배"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strip_accents": ...}, None),
        ({"strip_accents": None}, "True and True by tokenizer_config.json, True and False by"),
        ({"do_lower_case": False, "tokenizer_class": "PreTrainedTokenizerFast"}, None),
    ],
)
def test_which_file_says_the_rules(tmp_path, settings, told):
    """What is null follows the case; what is missing, and all of a class that any may be, is as in tokenizer.json."""
    at = folder(tmp_path, added=[], rules={"do_lower_case": True, "strip_accents": False})
    change(at / SETTINGS, **settings)
    with pytest.raises(ConfigError, match=told) if told else nullcontext():
        _, tokenizer = load_pretrained(at)
        assert (tokenizer.lowercase, tokenizer.strip_accents) == (True, False)


def test_two_vocabularies_are_refused(tmp_path):
    at = folder(tmp_path)
    lines = [*list(VOCAB)[:7], "mine", *list(VOCAB)[8:]]
    (at / "vocab.txt").write_text("\n".join(lines))
    with pytest.raises(ConfigError, match=r"by vocab.txt, .* by tokenizer.json, which .* move away the one"):
        load_pretrained(at)


def test_a_special_token_without_id_and_the_remedy(tmp_path):
    at = folder(tmp_path, special=[])
    of_2023(at)
    change(at / SETTINGS, extra_special_tokens=["[NEW]"], added_tokens_decoder=...)
    with pytest.raises(
        ConfigError, match=r"'\[NEW\]' is a special token, and no file says its id; .*"
    ) as caught:
        load_pretrained(at)
    exec(str(caught.value).partition("writes it down: ")[2], {"AutoTokenizer": transformers.AutoTokenizer})
    assert load_pretrained(at)[1].encode("[NEW]").input_ids == [2, len(VOCAB), 3]


def pieces_of_sentence_piece():
    """No ##, but ▁ where a word begins."""
    return {
        t if t in list(VOCAB)[:5] else t[2:] + "_" if t.startswith("##") else f"▁{t}": n
        for t, n in VOCAB.items()
    }


def test_a_vocabulary_of_sentence_piece_is_said(tmp_path):
    at = folder(tmp_path, added=[], special=[])
    change(at / FILE, model__vocab=pieces_of_sentence_piece())
    with pytest.raises(UnsupportedModel, match=r"\d+ tokens begin with ▁ and none with ##"):
        load_pretrained(at)
    (at / FILE).unlink()
    (at / "vocab.txt").write_text("".join(f"{token}\n" for token in pieces_of_sentence_piece()))
    with pytest.warns(UserWarning, match=r"begin with ▁ and none with ##: .*; most words become \[UNK\]"):
        load_pretrained(at)


def test_what_fits_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_pretrained()


def test_a_length_that_a_folder_cannot_tell_is_not_lost(tmp_path):
    model = BertModel(BertConfig(vocab_size=len(VOCAB), **SIZES))
    with pytest.raises(ValueError, match="no place for max_word_length=7: give a tokenizer with 100"):
        save_pretrained(model, WordPieceTokenizer(VOCAB, max_word_length=7), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_the_line_that_converts_a_pickle_works(tmp_path):
    at = folder(tmp_path)
    tensors = load_file(at / "model.safetensors")
    tensors["bert.pooler.twice"] = tensors["bert.pooler.dense.bias"]  # shared memory
    names = sorted(tensors)
    for number, part in enumerate((names[::2], names[1::2]), 1):
        torch.save({name: tensors[name] for name in part}, at / f"pytorch_model-0000{number}-of-00002.bin")
    torch.save({"not": "a tensor"}, at / "training_args.bin")
    (at / "model.safetensors").unlink()
    with pytest.raises(PickleRefused, match="can run any code.* to convert it, run in ") as caught:
        load_pretrained(at)
    line = str(caught.value)[str(caught.value).index("python -c") :].replace(
        "python", f'"{sys.executable}"', 1
    )
    subprocess.run(line, shell=True, cwd=at, check=True)
    found = load_file(at / "model.safetensors")
    assert found.keys() == tensors.keys() and all(torch.equal(found[name], tensors[name]) for name in names)


def test_on_a_device(tmp_path):
    assert next(load_pretrained(folder(tmp_path), device="meta")[0].parameters()).device.type == "meta"
