"""TrainingReplay in JupyterLab, operated by mouse and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

HOSTILE = "<img src=x onerror=window.hacked=1><script>hacked=1</script>"
CELL = f"""
from course_utils.widgets import TrainingReplay

def fill(snapshot, sentence):
    return [("배", 0.1 + 0.1 * snapshot), ("차", 0.05), ({HOSTILE!r}, 0.02)]

widget = TrainingReplay(steps=400, unigram=5.5, fill=fill, sentence="나는 [MASK]를 탔다.")
widget
"""
RUN = """
for step in range(0, 401, 20):
    if step:
        widget.add_record(step, mlm_loss=7.5 - step / 100, learning_rate=1e-3 * min(step / 100, (400 - step) / 300))
    if step % 100 == 0:
        measures = {"held_out_next_accuracy": 0.9 - step / 2000, "held_out_not_next_accuracy": 0.2 + step / 800}
        widget.add_snapshot(step, held_out_mlm_loss=7.4 - step / 130, **measures)
"""


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[[], Locator]:
    def open_widget() -> Locator:
        cells = [CELL.strip(), RUN.strip()]
        guest.open(make_notebook(lab.folder, cells))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("training_replay")

    return open_widget


def test_it_grew_with_the_run_and_is_rewound_by_mouse(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    summary, scrub = widget.get_by_test_id("summary"), widget.get_by_test_id("snapshot")
    expect(summary).to_contain_text("갱신 400번 뒤")
    expect(widget.get_by_test_id("progress")).to_have_attribute("value", "400")
    expect(widget.get_by_test_id("loss").locator("circle")).to_have_count(5)
    loss = widget.get_by_test_id("loss")
    assert len(loss.locator(".tr-train").get_attribute("points").split()) == 20  # the curve, too
    expect(widget.get_by_test_id("words").get_by_role("listitem").first).to_contain_text("50.0%")
    scrub.click(position={"x": 4, "y": scrub.bounding_box()["height"] / 2})
    expect(summary).to_contain_text("갱신 0번 뒤")
    start = loss.locator("rect").get_attribute("x")
    expect(loss.locator(".tr-at")).to_have_attribute("x1", start)
    expect(loss.locator(".tr-here")).to_have_attribute("cx", start)
    expect(summary).to_contain_text("한쪽은 우연을 넘지 못합니다")
    expect(widget.get_by_test_id("words").get_by_role("listitem").first).to_contain_text("10.0%")


def test_a_snapshot_that_is_not_looked_at_is_drawn_too(guest: Visit, lab: Lab) -> None:
    back = "widget.snapshot = 1\nwidget.add_snapshot(399, held_out_mlm_loss=4.3, **measures)"
    guest.open(make_notebook(lab.folder, [CELL.strip(), RUN.replace("401", "301").strip(), back]))
    guest.run_all()
    widget = guest.widget("training_replay")
    expect(widget.get_by_test_id("loss").locator("circle")).to_have_count(5)
    expect(widget.get_by_test_id("snapshot")).to_have_attribute("max", "4")
    expect(widget.get_by_test_id("summary")).to_contain_text("갱신 100번 뒤")


def test_by_keyboard(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    summary, scrub = widget.get_by_test_id("summary"), widget.get_by_test_id("snapshot")
    scrub.focus()
    guest.page.keyboard.press("ArrowLeft")
    expect(summary).to_contain_text("갱신 300번 뒤")
    expect(scrub).to_have_attribute("aria-valuetext", "갱신 300")
    guest.page.keyboard.press("Home")
    expect(summary).to_contain_text("갱신 0번 뒤")
    guest.page.keyboard.press("Tab")
    expect(widget.get_by_test_id("sentence")).to_be_focused()


def test_bad_sentences_are_told_in_place(show: Callable[[], Locator]) -> None:
    widget = show()
    sentence, error = widget.get_by_test_id("sentence"), widget.get_by_test_id("error")
    before = widget.get_by_test_id("summary").text_content()
    for typed in ("나는 배를 탔다.", "", "[MASK] [MASK]"):
        sentence.fill(typed)
        expect(error).to_contain_text("바로 앞의 문장 그대로")
        expect(widget.get_by_test_id("summary")).to_have_text(before)
    sentence.fill("[MASK]가 아프다.")
    expect(error).to_be_empty()


def test_controls_have_names_and_markup_stays_text(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    expect(widget.get_by_role("slider", name="되감기")).to_be_visible()
    expect(widget.get_by_role("textbox", name="문장")).to_have_value("나는 [MASK]를 탔다.")
    expect(widget.get_by_role("progressbar", name="진행")).to_be_visible()
    expect(widget.get_by_role("img", name="다음 문장 예측의 정확도")).to_be_visible()
    expect(widget.get_by_test_id("words")).to_contain_text(HOSTILE)
    expect(widget.get_by_test_id("summary")).to_contain_text(HOSTILE)
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None


@pytest.mark.rare
def test_a_long_token_is_cut_off_and_leaves_the_bars_comparable(
    guest: Visit, show: Callable[[], Locator]
) -> None:
    widget = show()
    words = widget.get_by_test_id("words")
    expect(words.get_by_title(HOSTILE)).to_have_text(HOSTILE)
    for width in (700, 1400):
        guest.page.set_viewport_size({"width": width, "height": 1000})
        rows = words.evaluate(
            """list => [...list.children].map((row) => {
              const [token, bar, share] = [...row.children].map((part) => part.getBoundingClientRect());
              const cut = row.firstChild.scrollWidth > row.firstChild.clientWidth;
              return [cut, token.right, bar.left, bar.right, share.left];
            })"""
        )
        assert [row[0] for row in rows] == [False, False, True]
        assert all(row[1:] == sorted(row[1:]) for row in rows)  # beside each other
        assert len({row[2] for row in rows}) == 1  # the bars begin at the same place …
        lengths = [row[3] - row[2] for row in rows]
        assert lengths == pytest.approx([lengths[0] * share / 0.5 for share in (0.5, 0.05, 0.02)], abs=0.1)
        assert widget.evaluate("card => card.scrollWidth <= card.clientWidth")
        guest.screenshot(f"training_replay-{width}", of=widget)


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, lab: Lab, show: Callable[[], Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        widget.get_by_test_id("snapshot").focus()
        guest.page.keyboard.press("ArrowLeft")
        expect(widget.get_by_test_id("summary")).to_contain_text("갱신 300번 뒤")
        guest.screenshot(f"training_replay-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
