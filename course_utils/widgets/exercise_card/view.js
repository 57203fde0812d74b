// The verdict on top; below it a row of buttons, and what they open.

import { compact, courseWidget, fill, make, write } from "../common.js";
import { button } from "../controls.js";

export default courseWidget((view) => {
  const { model, words, stage } = view;
  const root = stage.parentElement;
  root.prepend(root.querySelector(".course-summary"));
  root.querySelector(".course-title").classList.add("course-unseen");
  compact(view);
  const opened = make("p", { class: "ec-opened", role: "status", "data-testid": "opened" });
  stage.append(opened);
  let seen = 0; // hints
  const hint = () => {
    const { asked, hints } = model.get("picture");
    const next = Math.min(Math.max(seen + asked.startsWith("hint"), 1), hints);
    view.send({ asked: `hint ${next}` });
  };
  const turn = (part) => () => view.send({ asked: model.get("asked") === part ? "" : part });
  const presses = { hint, solution: turn("solution"), progress: turn("progress") };
  const buttons = Object.entries(presses).map(([part, press]) => [
    part,
    button(view, { label: words[part], testid: part, press }),
  ]);

  return ({ state, asked, opened: text, hints, marks }) => {
    const [part, number] = asked.split(" ");
    seen = Math.max(seen, Number(number ?? 0));
    root.dataset.state = state;
    for (const [name, node] of buttons) fill(node, { "aria-pressed": String(name === part) });
    write(buttons[0][1], `${words.hint} ${seen}/${hints}`);
    write(buttons[2][1], `${words.progress} ${marks}`);
    fill(stage, { hidden: !text });
    fill(opened, { "data-part": part });
    write(opened, text);
  };
});
