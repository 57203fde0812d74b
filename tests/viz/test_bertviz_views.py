"""bertviz's views without a network: the data they carry, what may run in them, and what a notebook keeps of them."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import bertviz
import bertviz.neuron_view
import numpy as np
import pytest
import torch

from course_utils.viz import bertviz_page
from course_utils.viz.bertviz_data import MOST_LINES, MOST_NUMBERS, check_weights, drawn_part
from course_utils.viz.bertviz_page import shown
from course_utils.viz.bertviz_views import head_view, model_view, neuron_view

L, H, T, D = 3, 5, 7, 11
TOKENS = ["[CLS]", "배", "##를", "[SEP]", "부엌", "##에서", "[SEP]"]
HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "\"'`&amp;", "${1}\\u003c\\"]
HOSTILE += ["PYTHON_PARAMS", "\u2028"]


def distribution(layers=L, heads=H, count=T, seed=0):
    weights = np.exp(2 * np.random.default_rng(seed).normal(size=(layers, heads, count, count)))
    return weights / weights.sum(-1, keepdims=True)


def vectors(layers=L, heads=H, count=T, size=D, seed=1):
    return np.random.default_rng(seed).normal(size=(2, layers, heads, count, size))


def views(tokens=TOKENS):
    """The three views of the same numbers."""
    weights = distribution(count=len(tokens))
    queries, keys = vectors(count=len(tokens))
    return [
        head_view(weights, tokens),
        model_view(weights, tokens),
        neuron_view(queries, keys, weights, tokens),
    ]


class Elements(HTMLParser):
    """A page as its elements: (tag, attributes, text inside scripts, styles and titles)."""

    def __init__(self, page):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])
        self.inside = True

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.found[-1][2] += data

    def all(self, tag):
        return [(attributes, inner) for name, attributes, inner in self.found if name == tag]


def params(view):
    (data,) = (inner for attributes, inner in Elements(view.page).all("script") if "type" in attributes)
    return json.loads(data)


def their_params(html):
    return json.loads(re.search(r"const params = (\{.*?\}); // HACK", html.data).group(1))


def assert_same_parts(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs):
        assert mine["left_text"] == other["left_text"] and mine["right_text"] == other["right_text"]
        for name in set(other) - {"name", "left_text", "right_text"}:
            np.testing.assert_allclose(np.array(mine[name]), np.array(other[name]), rtol=0, atol=0.51e-4)


# --- the data ---------------------------------------------------------------------------------------------------


def test_head_and_model_view_carry_what_bertviz_itself_would():
    weights = distribution()
    layers = [torch.tensor(weights[layer : layer + 1]) for layer in range(L)]
    how = dict(prettify_tokens=False, html_action="return")
    ours = params(head_view(weights, TOKENS, layer=2, heads=[4, 1]))
    theirs = their_params(bertviz.head_view(layers, TOKENS, layer=2, heads=[4, 1], **how))
    assert_same_parts(ours.pop("attention"), theirs.pop("attention"))
    assert ours | {"root_div_id": 0} == theirs | {"root_div_id": 0}
    ours = params(model_view(weights, TOKENS, layers=[2, 0], heads=[3, 4]))
    theirs = their_params(
        bertviz.model_view(
            layers, TOKENS, include_layers=[2, 0], include_heads=[3, 4], display_mode="light", **how
        )
    )
    assert_same_parts(ours.pop("attention"), theirs.pop("attention"))
    ours.pop("total_heads"), theirs.pop("total_heads")  # the one difference: how large the tiles are
    assert ours | {"root_div_id": 0} == theirs | {"root_div_id": 0}


class StandIn:
    """Both the model and the tokenizer that bertviz's neuron view asks."""

    cls_token, sep_token = "[CLS]", "[SEP]"

    def tokenize(self, sentence):
        return sentence.split()

    def convert_tokens_to_ids(self, tokens):
        assert tokens == TOKENS
        return list(range(T))

    def eval(self):
        return self

    def __call__(self, ids, **_):
        numbers = [distribution(), *vectors()]
        return [
            [
                {n: torch.tensor(a[i : i + 1]) for n, a in zip(("attn", "queries", "keys"), numbers)}
                for i in range(L)
            ]
        ]


def test_neuron_view_carries_what_bertviz_itself_would():
    stand_in = StandIn()
    theirs = bertviz.neuron_view.get_attention(
        stand_in, "bert", stand_in, "배 ##를", "부엌 ##에서", include_queries_and_keys=True
    )
    ours = params(views()[2])
    assert ours["attention"].keys() == {"all"}
    assert_same_parts([ours["attention"]["all"]], [theirs["all"]])
    assert (ours["default_filter"], ours["layer"], ours["head"], ours["bidirectional"]) == ("all", 0, 0, True)


def test_numbers_by_hand():
    weights = np.array([[[[0.25, 0.75], [0.123456, 0.876544]]]])
    queries, keys = np.array([[[[1.0], [2.0]]]]), np.array([[[[3.0], [-4.00004]]]])
    assert drawn_part(weights, ["가", "나"], {"queries": queries, "keys": keys}) == {
        "attn": [[[[0.25, 0.75], [0.1235, 0.8765]]]],
        "left_text": ["가", "나"],
        "right_text": ["가", "나"],
        "queries": [[[[1.0], [2.0]]]],
        "keys": [[[[3.0], [-4.0]]]],
    }


# --- what may run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_only_the_known_scripts_may_run_and_nothing_may_be_fetched(number):
    page = views()[number].page
    elements = Elements(page)
    (policy,) = (
        a["content"] for a, _ in elements.all("meta") if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == "'none'" and rules["img-src"] == "data:"
    scripts = [inner for attributes, inner in elements.all("script") if "type" not in attributes]
    assert len(scripts) == 4

    def hashed(texts):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]

    assert rules["script-src"].split() == hashed(scripts)
    assert rules["style-src"].split() == hashed(inner for _, inner in elements.all("style"))
    assert "\r" not in page  # a browser would read \n, and the hash would no longer fit
    assert page.index("<meta http-equiv") < page.index("<style")
    assert not [a for _, a, _ in elements.found if {"src", "href", "style", "srcdoc"} & set(a)]
    assert not [a for _, a, _ in elements.found if any(name.startswith("on") for name in a)]


def test_hostile_tokens_stay_data():
    tokens = [*HOSTILE, "둘째 글"]
    plain = [len(Elements(view.page).found) for view in views(["가"] * T)]
    for view, count in zip(views(tokens), plain):
        assert len(Elements(view.page).found) == count
        parts = params(view)["attention"]
        part = parts["all"] if isinstance(parts, dict) else parts[0]
        columns = 12 if "모델" in view.title else 14
        assert part["left_text"] == part["right_text"] == [shown(token, columns) for token in tokens]
        assert "</script><script>al" not in view.page and "PYTHON_PARAMS =" not in view.page


@pytest.mark.parametrize(
    ("token", "drawn"),
    [
        ("##에서", "##에서"),
        ("12345678901234", "12345678901234"),
        ("123456789012345", "1234567890123…"),
        ("가나다라마바사", "가나다라마바사"),
        ("가나다라마바사아", "가나다라마바…"),
        ("가" * 5000, "가가가가가가…"),
        ("a\0b", "a⟨0000⟩b"),
        ("배\u202e를", "배⟨202E⟩를"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5000, "e" + "\u0301" * 62 + "…"),
        ("<b>$&</b>", "<b>$&</b>"),
        ("", ""),
    ],
)
def test_a_token_as_it_is_drawn(token, drawn):
    assert shown(token, 14) == drawn


# --- what a notebook keeps -----------------------------------------------------------------------------------------


def test_the_saved_output_is_one_line_and_always_the_same():
    for view, again, name in zip(views(), views(), ["헤드", "모델", "뉴런"]):
        assert view.page == again.page
        assert repr(view) == f"[bertviz] bertviz {name} 보기: 셀을 실행하면 여기에서 움직입니다"
        bundle = view._repr_mimebundle_()
        bundle = bundle[0] if isinstance(bundle, tuple) else bundle
        assert set(bundle) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
        assert bundle["text/plain"] == repr(view) and len(json.dumps(bundle)) < 400


def test_digest_tells_the_counts():
    head, model, neuron = views()
    counts = "보기: 층 3개, 헤드 5개, 토큰 7개. "
    assert head.digest() == f"bertviz 헤드 {counts}처음에 보이는 것은 층 0, 헤드 0–4입니다."
    assert model.digest() == f"bertviz 모델 {counts}보이는 층은 0–2, 헤드는 0–4입니다."
    told = "처음에 보이는 것은 층 0, 헤드 0입니다. 벡터의 차원은 11입니다."
    assert neuron.digest() == f"bertviz 뉴런 {counts}{told}"
    some = model_view(distribution(), TOKENS, layers=[2], heads=[1, 3])
    assert some.digest() == "bertviz 모델 보기: 층 1개, 헤드 2개, 토큰 7개. 보이는 층은 2, 헤드는 1, 3입니다."


def test_the_frame_is_closed_and_the_controls_have_names(monkeypatch):
    for view, names in zip(views(), [["layer"], [], ["layer", "att_head"]]):
        assert 'setAttribute("sandbox", "allow-scripts")' in view._esm
        elements = Elements(view.page)
        assert [attributes["id"] for attributes, _ in elements.all("select")] == names
        assert len(elements.all("label")) == len(names) and all(
            inner.strip() for _, inner in elements.all("label")
        )
        assert elements.all("html")[0][0]["lang"] == "ko" and elements.all("title")[0][1] == view.title
        assert elements.all("div")[0][0]["aria-label"].startswith(view.digest())
    monkeypatch.setenv("COURSE_LANG", "en")
    assert '<html lang="en">' in views()[0].page and "keys on the right" in views()[0].page


@pytest.mark.rare
def test_the_packages_are_looked_up_and_never_imported():
    code = """if True:
        import sys
        import numpy as np
        from course_utils.viz.bertviz_views import head_view
        head_view(np.eye(3)[None, None], ["a", "b", "c"])
        heavy = {"bertviz", "mpld3", "xstatic", "boto3", "transformers", "torch"} & set(sys.modules)
        assert not heavy, heavy
    """
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# --- sizes, and what is refused


def flat(layers, heads, count):
    return np.full((layers, heads, count, count), 1 / count)


def with_entry(value):
    weights = flat(L, H, T)
    weights[2, 1, 3, 0] = value
    return weights


@pytest.mark.parametrize(
    ("view", "width", "height"),
    [
        (lambda: head_view(flat(3, 5, 7), TOKENS), 340, round(22.5 * 7) + 30),
        # one that was clicked is the higher one
        (lambda: model_view(flat(1, 3, 7), TOKENS), 975, 18 * 7 + 55),
        (lambda: model_view(flat(3, 5, 7), TOKENS), 975, 288),  # 3 · (7 · 84 / 8 + 10) + 38 = 288.5
        (lambda: model_view(flat(12, 12, 11), ["a"] * 11), 975, 12 * (77 + 10) + 38),
        (lambda: views()[2], 1010, 26 * 7 + 100),
    ],
)
def test_a_page_is_as_large_as_its_picture(view, width, height):
    assert f"#vis {{ min-width: {width}px; }}" in view().page and view().height == height + 110


@pytest.mark.parametrize("off", [0.0099, -0.0099])
def test_rows_of_half_precision_need_not_sum_to_1_exactly(off):
    weights = flat(1, 1, 2)
    weights[0, 0, 1, 0] += off
    assert check_weights(weights, ["a", "b"])[1] == ["a", "b"]
    weights[0, 0, 1, 0] += np.sign(off) * 2e-4
    with pytest.raises(ValueError, match=f"row 1 of layer 0, head 0 sums to {1 + off:.2f}"):
        check_weights(weights, ["a", "b"])


def test_the_attentions_of_a_model_are_taken_as_they_come():
    weights = torch.rand(L, 1, H, T, T, requires_grad=True).softmax(-1)
    for given in (tuple(weights), list(weights), weights.squeeze(1)):
        assert np.allclose(check_weights(given, TOKENS)[0], weights.detach()[:, 0])


BAD = [
    (dict(weights=(torch.zeros(2, H, T, T),) * L), r"\(any, any, 7, 7\) to draw, got \(3, 2, 5, 7, 7\)"),
    (dict(weights=None), "got None: attentions come only .*output_attentions=True"),
    (dict(weights=(None,) * L), "got None: attentions come only"),
    (dict(weights=flat(L, H, T)[0]), r"shape \(any, any, 7, 7\) to draw, got \(5, 7, 7\)"),
    (dict(weights=flat(L, H, 6)), r"\(3, 5, 6, 6\)"),
    (dict(weights=with_entry(np.nan)), "expected finite numbers"),
    (dict(weights=with_entry(0.5)), "row 3 of layer 2, head 1 sums to 1.357"),
    (dict(weights=with_entry(-0.1)), r"at least 0.*smallest weight is -0.100"),
    (dict(tokens=list(range(7))), "tokens must hold texts and nothing else, got 0"),
    (dict(weights=flat(1, 1, 65), tokens=["가"] * 65), "at most 64 tokens.*got 65"),
    (dict(layer=3), "layer must be a whole number from 0 to 2, got 3"),
    (dict(layer=-1), "layer .*got -1"),
    (dict(heads=[0, 5]), "heads must be a whole number from 0 to 4, got 5"),
    (dict(weights=flat(1, 12, 64), tokens=["가"] * 64), "at most 30,000, got 49,152"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(wrong, message):
    arguments = dict(weights=flat(L, H, T), tokens=TOKENS) | wrong
    with pytest.raises(ValueError, match=message) as refused:
        head_view(arguments.pop("weights"), arguments.pop("tokens"), **arguments)
    assert "\n" not in str(refused.value)


def test_model_and_neuron_view_refuse_their_own():
    weights, (queries, keys) = flat(L, H, T), vectors()
    with pytest.raises(ValueError, match="layers .* 0 to 2, got 3"):
        model_view(weights, TOKENS, layers=[3])
    with pytest.raises(ValueError, match=r"got 31,752 \(72 × 21 × 21\); give fewer layers"):
        model_view(flat(12, 6, 21), ["가"] * 21)
    assert model_view(flat(12, 6, 20), ["가"] * 20) and 12 * 6 * 20**2 <= MOST_LINES
    for given in ((queries, keys[..., :-1]), (queries[:, :, 1:], keys[:, :, 1:]), (queries, keys * np.inf)):
        with pytest.raises(ValueError, match="expected (numbers of shape|finite numbers)"):
            neuron_view(*given, weights, TOKENS)
    with pytest.raises(ValueError, match=f"at most {MOST_NUMBERS:,}, got 2,265,600; give fewer layers"):
        neuron_view(*np.zeros((2, 12, 8, 40, 275)), flat(12, 8, 40), ["가"] * 40)


def test_a_missing_package_is_named(monkeypatch):
    found = bertviz_page.importlib.util.find_spec
    monkeypatch.setattr(
        bertviz_page.importlib.util, "find_spec", lambda name: None if name == "xstatic" else found(name)
    )
    bertviz_page.packaged.cache_clear()
    with pytest.raises(RuntimeError, match="the package XStatic-jQuery; run `make lab` to install it"):
        views()
