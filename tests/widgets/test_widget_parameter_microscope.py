"""ParameterMicroscope without a browser: its numbers, its sentence and what it refuses."""

import math

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.widgets import ParameterMicroscope
from course_utils.widgets.parameter_microscope.widget import treemap

PUBLISHED = {
    "tiny": (4_385_920, 4_433_468),
    "mini": (11_170_560, 11_267_900),
    "small": (28_763_648, 29_058_876),
    "medium": (41_373_184, 41_668_412),
    "base": (109_482_240, 110_106_428),
    "large": (335_141_888, 336_226_108),
}
SIZES = {name: getattr(BertConfig, name)() for name in PUBLISHED}


def tensors(config: BertConfig) -> list[tuple[str, tuple[int, ...]]]:
    with torch.device("meta"):
        model = BertForPreTraining(config)
    return [(name.removeprefix("bert."), tuple(part.shape)) for name, part in model.named_parameters()]


def toy(_config: object) -> list[tuple[str, tuple[int, ...]]]:
    return [
        ("embeddings.token.weight", (5, 3)),
        ("encoder.layers.0.norm.weight", (3,)),
        ("encoder.layers.0.norm.bias", (3,)),
        ("encoder.layers.1.weight", (3, 2)),
        ("pooler.dense.weight", (3, 3)),
        ("mlm.bias", (4,)),
    ]


def make(**changes) -> ParameterMicroscope:
    arguments = {"sizes": {"작은": 0, "큰": 1}, "tensors": toy} | changes
    return ParameterMicroscope(arguments.pop("sizes"), **arguments)


@pytest.fixture(scope="module")
def bert() -> ParameterMicroscope:
    return ParameterMicroscope(SIZES, tensors=tensors, published=PUBLISHED)


@pytest.mark.parametrize("size", PUBLISHED)
@pytest.mark.parametrize("heads", [False, True])
def test_the_total_of_every_size_is_the_published_one(bert, size: str, heads: bool) -> None:
    bert.size, bert.heads, bert.path = size, heads, ""
    assert bert.picture["total"] == f"{PUBLISHED[size][heads]:,}"
    assert "공개된 수와 같습니다" in bert.summary and bert.picture["total"] in bert.summary


def test_groups_of_bert_layer_and_tensor(bert) -> None:
    bert.size, bert.heads, bert.path = "base", True, ""
    paths = [row["path"] for row in bert.picture["rows"]]
    assert paths == ["embeddings", "encoder.layers", "pooler.dense", "mlm", "nsp"]
    bert.path = "encoder.layers.11"
    labels = [row["label"] for row in bert.picture["rows"]]
    assert labels == ["어텐션", "층 정규화(어텐션 뒤)", "피드포워드", "층 정규화(피드포워드 뒤)"]
    assert [crumb["label"] for crumb in bert.picture["crumbs"]] == ["전체", "인코더", "12층"]
    assert "7,087,872개(6.4 %)" in bert.summary and "'피드포워드', 4,722,432개(66.6 %)" in bert.summary
    bert.path = "embeddings.token.weight"
    assert "30,522 × 768 = 23,440,896" in bert.summary
    assert [row["shape"] for row in bert.picture["rows"]] == ["30,522 × 768"]


def test_a_number_that_is_not_the_published_one_is_told() -> None:
    assert "공개된 수 42개와 다릅니다" in make(published={"작은": (1, 42)}).summary
    assert "공개된" not in make().summary


def test_areas_are_in_proportion_and_fill_the_picture() -> None:
    picture = make().picture
    boxes = [tile["box"] for tile in picture["tiles"]]
    assert math.isclose(sum(width * height for _, _, width, height in boxes), 10_000)
    rows = {row["path"]: row for row in picture["rows"]}
    area = {path: row["box"][2] * row["box"][3] for path, row in rows.items()}
    assert math.isclose(area["embeddings.token.weight"] / area["mlm.bias"], 15 / 4)
    assert math.isclose(sum(row["share"] for row in rows.values()), 1)
    assert {tile["kind"] for tile in picture["tiles"]} == {"embeddings", "norm", "other", "pooler", "heads"}


@pytest.mark.parametrize("counts", [[7], [1] * 24, [30522 * 768, 512 * 768, 1, 3], list(range(1, 40))])
def test_a_treemap_keeps_within_its_box_and_overlaps_nowhere(counts: list[int]) -> None:
    boxes = treemap(counts, (10.0, 20.0, 160.0, 100.0))
    scale = 160 * 100 / sum(counts)
    for count, (left, top, width, height) in zip(counts, boxes, strict=True):
        assert math.isclose(width * height, count * scale, rel_tol=1e-6)
        assert left > 10 - 1e-6 and top > 20 - 1e-6
        assert left + width < 170 + 1e-6 and top + height < 120 + 1e-6
    for place, (left, top, width, height) in enumerate(boxes):
        for other_left, other_top, other_width, other_height in boxes[:place]:
            apart = left + width <= other_left + 1e-6 or other_left + other_width <= left + 1e-6
            assert apart or top + height <= other_top + 1e-6 or other_top + other_height <= top + 1e-6


def test_equal_counts_stand_in_reading_order() -> None:
    boxes = treemap([5] * 24, (0.0, 0.0, 160.0, 100.0))
    corners = [(round(top), round(left)) for left, top, _, _ in boxes]
    assert corners == sorted(corners)
    assert len({top for _, top, _, _ in boxes}) == 4


def test_the_window_says_where_in_the_model_one_is() -> None:
    widget = make()
    assert widget.picture["window"] == [0, 1]
    widget.path = "encoder.layers.1.weight"
    assert widget.picture["window"] == pytest.approx([21 / 40, 6 / 40])


def test_a_part_with_a_single_child_is_passed_over() -> None:
    widget = make()
    for path in ("pooler", "pooler.dense", "pooler.dense.weight"):
        widget.path = path
        assert widget.picture["path"] == "pooler.dense.weight"
        assert len(widget.picture["crumbs"]) == 2
    widget.path = "encoder"
    assert widget.picture["path"] == "encoder.layers"


def test_heads_are_left_out_and_a_part_of_them_gives_way_to_the_whole() -> None:
    widget = make()
    widget.path = "mlm.bias"
    assert "벡터 하나입니다" in widget.summary and widget.picture["total"] == "40"
    widget.heads = False
    assert widget.picture["path"] == "" and widget.picture["total"] == "36"
    assert all("mlm" not in row["path"] for row in widget.picture["rows"])
    widget.heads = True
    assert widget.picture["path"] == "mlm.bias"


def test_a_size_that_lacks_the_part_shows_what_is_around_it(bert) -> None:
    bert.size, bert.heads, bert.path = "large", True, "encoder.layers.23"
    assert bert.picture["path"] == "encoder.layers.23"
    bert.size = "tiny"
    assert bert.picture["path"] == "encoder.layers" and "크기가 같은 묶음 2개" in bert.summary


def test_a_model_of_heads_alone_cannot_lose_them() -> None:
    widget = make(tensors=lambda _: [("mlm.bias", (4,)), ("nsp.bias", (2,))])
    with pytest.raises(ValueError, match="남지 않습니다"):
        widget.heads = False
    assert widget.heads is True
