// Left the pairs that stand to choose from, best first; right the words as they are cut now; below what was made.

import { clamp, courseWidget, dense, fill, make, panel, table } from "../common.js";
import { choice, FAR, slider, stepper, textBox } from "../controls.js";

export default courseWidget((view) => {
  const { model, words } = view;
  dense(view, { low: true });
  view.stage.classList.add("ms-stage", "course-unbounded");
  view.controls.classList.add("course-lines");
  textBox(view, "corpus", { label: words.corpus });
  choice(view, "method", { label: words.method, options: model.get("methods").map((name) => [name, name]) });
  const move = (by) => {
    const total = model.get("picture").total ?? 0;
    view.send({ step: clamp(model.get("step") + by, 0, total) });
  };
  const buttons = [
    ["first", words.first, -FAR],
    ["back", words.back, -1],
    ["next", words.next, 1],
    ["last", words.last, FAR],
  ];
  const reached = stepper(view, words.steps, buttons, move);
  const bar = slider(view, "step", {
    range: [0, 1],
    say: (step) => `${step} / ${model.get("picture").total ?? 0}`,
  }).querySelector("input");

  const body = make("tbody");
  const scoreHead = make("th", { scope: "col" });
  const heads = [words.pair, words.count, scoreHead];
  const ranking = table({ class: "ms-table", "data-testid": "candidates" }, heads, body);
  const done = make("p", { class: "course-note" }, words.finished);
  const list = make("ul", {
    class: "course-frame course-flow ms-words",
    tabindex: 0,
    "aria-label": words.cut,
    "data-testid": "words",
  });
  const made = make("ol", { class: "course-frame course-flow ms-words ms-made", tabindex: 0, "data-testid": "made" });
  panel(view, words.candidates, ranking, done);
  panel(view, words.cut, list);
  const madeCaption = panel(view, "", made).querySelector("figcaption");
  madeCaption.parentElement.classList.add("course-row");

  return (picture) => {
    const step = model.get("step");
    bar.max = picture.total;
    bar.value = step;
    reached(step, 0, picture.total);
    ranking.hidden = !picture.candidates.length;
    done.hidden = !ranking.hidden;
    scoreHead.hidden = !picture.scored;
    scoreHead.textContent = words.score;
    body.replaceChildren(
      ...picture.candidates.map(({ pair, count, score, share }, place) => {
        const row = make(
          "tr",
          { class: place ? "" : "ms-best" },
          make("th", { scope: "row" }, chip(pair[0]), " + ", chip(pair[1])),
          make("td", {}, String(count)),
        );
        if (picture.scored) row.append(make("td", {}, score));
        row.style.setProperty("--share", `${100 * share}%`);
        return row;
      }),
    );
    list.replaceChildren(
      ...picture.words.map(({ count, pieces }) =>
        make(
          "li",
          {},
          ...pieces.map((piece) => chip(piece.text, piece.fresh)),
          make("span", { class: "ms-count" }, `× ${count}`),
        ),
      ),
    );
    madeCaption.textContent = words.made
      .replace("{count}", picture.made.length)
      .replace("{alphabet}", picture.alphabet);
    fill(made, { "aria-label": madeCaption.textContent });
    made.replaceChildren(
      ...picture.made.map((symbol, place) => make("li", {}, chip(symbol, place === picture.made.length - 1))),
    );
  };

  function chip(symbol, fresh = false) {
    return make("span", { class: fresh ? "course-chip ms-chip ms-fresh" : "course-chip ms-chip" }, symbol);
  }
});
