"""TrainingReplay without a browser: what grows, what is shown, its sentence and what it refuses."""

import math

import pytest

from course_utils.widgets import TrainingReplay

SENTENCE = "나는 [MASK]를 탔다."


def fill(snapshot, sentence):
    return [("배", 0.1 * (snapshot + 1)), ("차", 0.05), ("<b>말</b>", 0.01)]


def make(**changes) -> TrainingReplay:
    return TrainingReplay(**({"steps": 300, "unigram": 5.5, "fill": fill, "sentence": SENTENCE} | changes))


def snapshot(loss, following=0.5, other=0.5) -> dict:
    return {
        "held_out_mlm_loss": loss,
        "held_out_mlm_accuracy": 0.1,
        "held_out_next_accuracy": following,
        "held_out_not_next_accuracy": other,
    }


def trained() -> TrainingReplay:
    widget = make()
    widget.add_snapshot(0, **snapshot(7.25, 1.0, 0.0))
    for step in range(50, 301, 50):
        widget.add_record(step, mlm_loss=7 - step / 100, learning_rate=step * 1e-5)
        if step % 150 == 0:
            widget.add_snapshot(step, **snapshot(6.75 - step / 100, 0.75, 0.5 + step / 1000))
    return widget


def test_before_the_run() -> None:
    widget = make()
    assert "0 / 300" in widget.summary and "5.50" in widget.summary
    assert widget.curves["records"] == widget.curves["snapshots"] == widget.picture["words"] == []
    assert widget.picture["here"] is None


def test_the_picture_grows_and_follows() -> None:
    widget = trained()
    assert [record[0] for record in widget.curves["records"]] == [50, 100, 150, 200, 250, 300]
    assert widget.curves["records"][1] == [100, 6.0, pytest.approx(1e-3)]
    assert widget.curves["snapshots"][1] == [150, 5.25, 0.75, 0.65]
    assert widget.snapshot == widget.picture["here"] == 2 and widget.picture["done"] == 300
    longer = make()
    longer.add_record(1, mlm_loss=17 / 3, learning_rate=1e-5 / 3)
    longer.add_snapshot(1, **snapshot(17 / 3, 1 / 3, 2 / 3))
    assert longer.curves["records"] == [[1, 5.6667, 1e-5 / 3]]  # a rate is small: in full
    assert longer.curves["snapshots"] == [[1, 5.6667, 0.3333, 0.6667]]


def test_a_key_brings_back_no_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = make()
    for step in (0, 10):
        widget.add_snapshot(step, **snapshot(6.0))
    sent = []
    monkeypatch.setattr(
        type(widget), "_send", lambda self, message, buffers=None: sent.append(set(message["state"]))
    )
    widget.set_state({"snapshot": 0})
    assert sent == [{"picture", "summary"}]
    widget.add_record(20, mlm_loss=5.0, learning_rate=1e-3)
    assert sent[1:] == [{"curves", "picture"}]  # what belongs together comes together
    widget.add_snapshot(30, **snapshot(5.0))
    assert sent[2] == {"curves"}


def test_the_summary_tells_both_marks() -> None:
    widget = trained()
    assert "갱신 300번 뒤" in widget.summary
    assert "3.75입니다. 유니그램 엔트로피 5.50보다 1.75 낮습니다" in widget.summary
    assert "75 %" in widget.summary and "80 %" in widget.summary and "두 부류 모두 우연보다" in widget.summary
    assert "'배' 30 %, '차' 5 %" in widget.summary
    widget.snapshot = 0
    assert "1.75 높습니다" in widget.summary and "한쪽은 우연을 넘지 못합니다" in widget.summary
    assert "'배' 10 %" in widget.summary


def test_it_stays_where_the_learner_went() -> None:
    widget = trained()
    widget = make()
    for step in (0, 10, 20):
        widget.add_snapshot(step, **snapshot(6.0))
    widget.snapshot = 1
    widget.add_record(25, mlm_loss=6.0, learning_rate=1e-3)
    widget.add_snapshot(30, **snapshot(5.9))
    assert widget.snapshot == 1 and len(widget.curves["snapshots"]) == 4


def test_another_sentence_is_asked() -> None:
    asked = []
    widget = make(fill=lambda number, sentence: asked.append((number, sentence)) or [("배", 0.5)])
    widget.sentence = "[MASK]가 아프다."
    assert asked == []  # no snapshot yet
    widget.add_snapshot(0, **snapshot(7.0))
    assert asked == [(0, "[MASK]가 아프다.")]


def test_bad_records() -> None:
    widget = trained()
    for step, loss in ((300, 5.0), (301, 5.0), (0, 5.0), (400, math.nan)):
        with pytest.raises(ValueError, match="[가-힣]"):
            widget.add_record(step, mlm_loss=loss, learning_rate=0.0)
    other = make()
    with pytest.raises(ValueError, match="유한"):
        other.add_record(10, mlm_loss=math.inf, learning_rate=0.0)
    with pytest.raises(KeyError, match="held_out_next_accuracy"):
        other.add_snapshot(10, held_out_mlm_loss=5.0)
    assert other.curves["records"] == other.curves["snapshots"] == []


def test_what_the_model_could_not_read_is_told_beside_its_answer():
    widget = make(pieces=lambda text: [("[UNK]", (0, 3))] if "🚢" in text else [])
    widget.add_snapshot(0, **snapshot(7.0))
    assert "[UNK]" not in widget.summary
    widget.sentence = "항구🚢에서 [MASK]를 탔다."
    assert "'배' 10 %" in widget.summary and widget.summary.count("모델은 '항구🚢'에서 [UNK]만 봅니다.") == 1
