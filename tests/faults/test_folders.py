"""A file of a folder that the course reads may be damaged in any way: the reader keeps to the contract, and names it.

Each reader gets a copy of a sound folder in which one file is gone, cut short, another kind of thing, or says what it
never said. It returns, or refuses in one sentence with the file's name or its folder's, within two
seconds; and it writes nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_utils.bert import BertModel
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.download import find_file
from course_utils.heads import BertForSequenceClassification
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.hub import cached_snapshot
from course_utils.pretrained.weights import verify
from course_utils.progress import ProgressStore
from course_utils.support.folders import MARK, run_folder
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.fast import fast_wordpiece
from course_utils.tokenization.vocab import SPECIAL_TOKENS, load_vocab
from course_utils.training.checkpoint import load_checkpoint, save_checkpoint
from course_utils.training.log import RunLog, read_log
from course_utils.training.optim import adamw
from tests.faults.contract import Broken, Hangs, check_error, check_sentence, listing, watched
from tests.faults.strategies import in_each_profile
from tests.small import small_config

TEXTS = [*SPECIAL_TOKENS, "배", "##를", "먹", "##다", "."]
SETTINGS = {"steps": 9, "rate": 0.25, "corpus": "배"}
DEEP = 100_000  # lists in lists
HUB_NAME, COMMIT = "owner/small", "3" * 40
PUBLIC = "ChatbotData.csv"
VALUES = [None, True, -1, 0.5, 10**30, "", "배", "x" * 3001, [], [1], {}, {"배": [None]}, math.nan, math.inf]
RAW = [b"NaN", b"1e400", b"9" * 5000, b"-0", b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP]

# --- sound folders ---------------------------------------------------------------------------------------------


def model_folder(at: Path) -> None:
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(TEXTS)}, strip_accents=False)
    save_pretrained(BertForSequenceClassification(small_config(len(TEXTS)), num_labels=3), tokenizer, at)


def model_folder_of_today(at: Path) -> None:
    """Without vocab.txt, and with an added token."""
    model_folder(at)
    words = WordPieceTokenizer(load_vocab(at / "vocab.txt"), strip_accents=False)
    fast_wordpiece(words).save(str(at / "tokenizer.json"))
    (at / "added_tokens.json").write_text('{"배": 5}')
    (at / "vocab.txt").unlink()


def trainee() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    model = torch.nn.Linear(3, 2)
    return model, adamw(model, learning_rate=1e-3, weight_decay=0.01)


def folder_of_texts(at: Path) -> None:
    """What a run writes, but for its checkpoint, whose optimiser loads what takes seconds."""
    with run_folder(at, "pretrain"):
        log = RunLog(at / "log.jsonl")
        for step in (1, 2, 3):
            log.add(step, loss=1 / step, word="배")
    (at / "text.txt").write_text("배를 먹다.\n배다.\n\n먹다.\n", encoding="utf-8")


def folder_of_a_run(at: Path) -> None:
    model, optimizer = trainee()
    model(torch.ones(5, 3)).sum().backward()
    optimizer.step()
    folder_of_texts(at)
    save_checkpoint(at / "checkpoint.safetensors", model, optimizer, step=3, settings=SETTINGS)


def progress_folder(at: Path) -> None:
    store = ProgressStore(at)
    store.record_attempt("02.1", passed=True)
    store.record_hint("02.2", 1)


def fetched_model(at: Path) -> None:
    """A cache as the hub's: refs/main names a commit, whose folder links its weights to a blob of that sha256."""
    cache = at / ("models--" + HUB_NAME.replace("/", "--"))
    model_folder(cache / "snapshots" / COMMIT)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(COMMIT)
    (cache / "blobs").mkdir()
    weights = cache / "snapshots" / COMMIT / "model.safetensors"
    blob = cache / "blobs" / hashlib.sha256(weights.read_bytes()).hexdigest()
    weights.rename(blob)
    weights.symlink_to(os.path.relpath(blob, weights.parent))


def fetched_corpus(at: Path) -> None:
    at.mkdir(parents=True)
    (at / PUBLIC).write_text("Q,A,label\n배,를,0\n", encoding="utf-8")


def load_run(path: Path) -> int:
    return load_checkpoint(path, *trainee(), settings=SETTINGS)


def load_progress(path: Path) -> None:
    """What a damaged file is, the store says in words of the locale, and moves it aside: that one write is its work."""
    entries, sentence = ProgressStore(path.parent).load()
    assert isinstance(entries, dict)
    if sentence is not None:
        check_sentence(sentence)


def look_at_run(path: Path) -> None:
    with run_folder(path.parent, "pretrain"):
        pass


def from_mirror(path: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_DATA_MIRROR", str(path.parent))
        return find_file(PUBLIC)


def from_hub_cache(path: Path) -> Any:
    assert path is not None
    snapshot = cached_snapshot(HUB_NAME)
    return load_pretrained(HUB_NAME) if snapshot else None


@dataclass(frozen=True)
class Reader:
    """What reads a file of a folder.

    Attributes:
        make: the sound folder.
        files: those that are spoilt, by their paths in it.
        read: is given the path of the spoilt one.
        writes: whether it may write inside the folder.
    """

    make: Callable[[Path], None]
    files: tuple[str, ...]
    read: Callable[[Path], Any]
    writes: bool = False


SNAPSHOT = f"models--owner--small/snapshots/{COMMIT}"
MODEL = ("config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors")
READERS = {
    "load_pretrained": Reader(model_folder, MODEL, lambda path: load_pretrained(path.parent)),
    "load_pretrained of today": Reader(
        model_folder_of_today,
        ("tokenizer.json", "tokenizer_config.json", "added_tokens.json"),
        lambda path: load_pretrained(path.parent),
    ),
    "load_pretrained as BertModel": Reader(
        model_folder, MODEL, lambda path: load_pretrained(path.parent, model_class=BertModel)
    ),
    "load_pretrained from the cache": Reader(
        fetched_model,
        ("models--owner--small/refs/main", *(f"{SNAPSHOT}/{name}" for name in MODEL)),
        from_hub_cache,
    ),
    "verify": Reader(model_folder, MODEL, lambda path: verify(path, "0" * 64)),
    "load_vocab": Reader(model_folder, ("vocab.txt",), load_vocab),
    "from_vocab_file": Reader(
        model_folder,
        ("vocab.txt",),
        lambda path: WordPieceTokenizer.from_vocab_file(path, strip_accents=False),
    ),
    "read_documents": Reader(folder_of_texts, ("text.txt",), read_documents),
    "load_checkpoint": Reader(folder_of_a_run, ("checkpoint.safetensors",), load_run),
    "read_log": Reader(folder_of_texts, ("log.jsonl",), read_log),
    "run_folder": Reader(folder_of_texts, (MARK,), look_at_run, writes=True),
    "ProgressStore": Reader(progress_folder, ("progress.json",), load_progress, writes=True),
    "find_file": Reader(fetched_corpus, (PUBLIC,), from_mirror),
}


# --- what is done to a file ------------------------------------------------------------------------------------


def nothing_there(path: Path, draw: Any) -> None:
    path.unlink()


def cut_short(path: Path, draw: Any) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: draw(st.integers(0, len(content)))])


def flipped(path: Path, draw: Any) -> None:
    content = bytearray(path.read_bytes())
    for place in draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=3)):
        content[place] ^= draw(st.integers(1, 255))
    path.write_bytes(content)


def a_folder(path: Path, draw: Any) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path, draw: Any) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link_to_itself(path: Path, draw: Any) -> None:
    path.unlink()
    path.symlink_to(path.name)


def closed(path: Path, draw: Any) -> None:
    path.chmod(0)


def begun_with_a_mark(path: Path, draw: Any) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


def other_line_ends(path: Path, draw: Any) -> None:
    path.write_bytes(
        path.read_bytes().replace(b"\n", draw(st.sampled_from([b"\r", b"\r\n", b"\x00", b"\n\n"])))
    )


def no_utf_8(path: Path, draw: Any) -> None:
    content = path.read_bytes()
    place = draw(st.integers(0, len(content)))
    odd = draw(st.sampled_from([b"\xff", b"\xed\xa0\x80", "배".encode("cp949"), "배".encode("utf-16")]))
    path.write_bytes(content[:place] + odd + content[place:])


def longer(path: Path, draw: Any) -> None:
    path.write_bytes(path.read_bytes() + draw(st.binary(min_size=1, max_size=9)))


def another_value(path: Path, draw: Any) -> None:
    """JSON in which one value, anywhere, is another; also as raw text that Python would not write."""
    lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
    number = draw(st.integers(0, len(lines) - 1))
    content = json.loads(lines[number])
    places = list(inside(content))
    holder, key = draw(st.sampled_from(places))
    raw = draw(st.sampled_from([None, *RAW]))
    holder[key] = "\0here" if raw else draw(st.sampled_from(VALUES))
    written = json.dumps(content).encode()
    lines[number] = written.replace(json.dumps("\0here").encode(), raw) if raw else written
    path.write_bytes(b"\n".join(lines))


def another_whole(path: Path, draw: Any) -> None:
    """JSON of another kind: a list, a number, lists in lists."""
    whole = [
        b"[]",
        b"{}",
        b"null",
        b"3",
        b'"x"',
        b"[{}]",
        b"[" * DEEP + b"]" * DEEP,
        b"NaN",
        b"9" * 5000,
        b"",
    ]
    path.write_bytes(draw(st.sampled_from(whole)))


def a_key_twice(path: Path, draw: Any) -> None:
    content = path.read_bytes()
    key = draw(
        st.sampled_from(list(json.loads(content.splitlines()[0] if path.suffix == ".jsonl" else content)))
    )
    twice = b"{" + json.dumps(key).encode() + b": " + draw(st.sampled_from([b"null", b"[]", b"0"])) + b", "
    path.write_bytes(content.replace(b"{", twice, 1))


def inside(content: Any) -> Iterator[tuple[Any, Any]]:
    """Where each value stands: (dict or list, key or place)."""
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield content, key
        if isinstance(value, dict | list):
            yield from inside(value)


ANY_FILE = [nothing_there, cut_short, flipped, a_folder, a_pipe, a_link_to_itself, longer]
ANY_FILE += [closed] if os.geteuid() else []  # root may read everything
TEXT_FILE = [begun_with_a_mark, other_line_ends, no_utf_8]
JSON_FILE = [another_value, another_whole, a_key_twice]


def ways(name: str) -> list[Callable[[Path, Any], None]]:
    """What may be done to a file of this name."""
    if name.endswith(".safetensors"):
        return ANY_FILE
    return ANY_FILE + TEXT_FILE + (JSON_FILE if ".json" in name else [])


# --- the test --------------------------------------------------------------------------------------------------


def read_spoilt(reader: Reader, path: Path) -> None:
    """Read a file that was spoilt, and hold the reader to the contract."""
    beside = path.parent if path.parent.exists() else path.parents[1]
    seen = listing([Path.cwd()])
    try:
        with watched():
            reader.read(path)
    except Hangs:
        raise Broken("it hangs") from None
    except Exception as error:
        check_error(error)
        names = {path.name, "refs"} | {part for part in beside.parts if len(part) > 3}
        if not any(part in str(error) for part in names):
            raise Broken(f"its message names no file: {error}") from error
    if not reader.writes and listing([Path.cwd()]) != seen:
        raise Broken("it writes")


def fuzz(name: str, profile: Any) -> None:
    """Spoil one file after the other, in a new copy of the sound folder each time."""
    reader = READERS[name]
    sound, spoilt = Path("sound"), Path("spoilt")
    reader.make(sound)
    shutil.copytree(sound, spoilt, symlinks=True)
    with watched():
        reader.read(spoilt / reader.files[0]) if name not in ("verify", "find_file") else None

    @profile
    @given(data=st.data())
    def call(data: st.DataObject) -> None:
        shutil.rmtree(spoilt)
        shutil.copytree(sound, spoilt, symlinks=True)
        file = data.draw(st.sampled_from(reader.files))
        way = data.draw(st.sampled_from(ways(file)))
        way(spoilt / file, data.draw)
        read_spoilt(reader, spoilt / file)

    call()


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder to work in; messages stay short, since paths are relative to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", "spoilt")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


@in_each_profile
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_named_in_one_sentence(name, profile, elsewhere):
    fuzz(name, profile)


TENSOR = "bert.encoder.layer.0.attention.output.LayerNorm.weight"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("model.safetensors", b'"F32"', b'"G32"'),  # safetensors lists all the types that it knows
        ("model.safetensors", TENSOR.encode(), TENSOR.replace("output", "out\x7fut").encode()),
        ("config.json", b"BertForSequenceClassification", b"x" * 3001),
        *(("config.json", f'size": {size}'.encode(), b'size": 1' + b"0" * 30) for size in (12, 29)),
    ],
)
def test_a_fault_that_chance_seldom_draws(file, old, new, elsewhere):
    """What made the test above fail in one run of a hundred."""
    model_folder(Path("spoilt"))
    path = Path("spoilt") / file
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    with pytest.raises(ValueError):
        load_pretrained(path.parent)
    read_spoilt(READERS["load_pretrained"], path)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_a_pipe(name, elsewhere):
    """Whatever Hypothesis draws: each file of each reader, once."""
    reader, folder = READERS[name], Path("spoilt")
    for file in reader.files:
        shutil.rmtree(folder, ignore_errors=True)
        reader.make(folder)
        a_pipe(folder / file, None)
        read_spoilt(reader, folder / file)
