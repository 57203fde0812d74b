"""TrainingReplay in JupyterLab, operated by mouse."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

LONG = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허"
CELL = f"""
from course_utils.widgets import TrainingReplay

def fill(snapshot, sentence):
    return [("배", 0.1 + 0.1 * snapshot), ("차", 0.05), ({LONG!r}, 0.02)]

widget = TrainingReplay(steps=400, unigram=5.5, fill=fill, sentence="나는 [MASK]를 탔다.")
widget
"""
CELLS = [
    CELL,
    """
for step in range(0, 401, 20):
    if step:
        widget.add_record(step, mlm_loss=7.5 - step / 100, learning_rate=1e-3 * min(step / 100, (400 - step) / 300))
    if step % 100 == 0:
        measures = {"held_out_next_accuracy": 0.9 - step / 2000, "held_out_not_next_accuracy": 0.2 + step / 800}
        widget.add_snapshot(step, held_out_mlm_loss=7.4 - step / 130, **measures)
""",
]


def test_it_grew_with_the_run_and_is_rewound_by_mouse(guest: Visit, widget: Locator) -> None:
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


@pytest.mark.rare
def test_a_long_token_is_cut_off_and_leaves_the_bars_comparable(guest: Visit, widget: Locator) -> None:
    words = widget.get_by_test_id("words")
    expect(words.get_by_title(LONG)).to_have_text(LONG)
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
