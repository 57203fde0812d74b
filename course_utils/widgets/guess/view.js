// A question with a button for each choice, or with a field for a number; below it JupyterLab's next output, which opens
// once guess and answer are there and shuts when the answer came first.

import { courseWidget, fill, make, write } from "../common.js";
import { button } from "../controls.js";

const OVER = ["right", "wrong"];

export default courseWidget((view) => {
  const { model, words, stage, signal } = view;
  const { question, choices, within } = model.get("picture");
  const over = () => OVER.includes(model.get("picture").state);
  const send = (guess) => over() || view.send({ guess });
  const ways = make("div", { class: "gu-ways", role: "group", "aria-label": question });
  stage.classList.add("gu-stage");
  stage.append(make("p", { class: "gu-question" }, question), ways);
  const buttons = choices.map((choice, place) =>
    button(view, { label: choice, testid: `choice-${place}`, press: () => send(choice), into: ways }),
  );
  const field = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", "data-testid": "number" });
  if (!choices.length) {
    ways.append(make("label", { class: "course-control" }, make("span", {}, words.number), field));
    button(view, { label: words.send, testid: "send", press: () => send(field.value), into: ways });
    ways.append(make("span", { class: "course-note" }, within));
    field.value = model.get("guess");
  }
  // Enter sends the number. Shift+Enter, which the card keeps from JupyterLab, runs the cell below as anywhere else.
  stage.addEventListener(
    "keydown",
    (event) => {
      const below = event.shiftKey && cellBelow(stage);
      if (event.key !== "Enter" || !(below || event.target === field)) return;
      event.preventDefault();
      event.stopPropagation(); // or JupyterLab goes to the cell's code
      if (event.target === field) send(field.value);
      if (!below) return;
      below.focus();
      below.dispatchEvent(new KeyboardEvent("keydown", event));
    },
    { signal },
  );

  return ({ state, guess, right }) => {
    stage.parentElement.dataset.state = state;
    buttons.forEach((node, place) => {
      const choice = choices[place];
      const mark = over() && choice === right ? "✓" : over() && choice === guess ? "✗" : "";
      fill(node, {
        "aria-pressed": String(choice === guess),
        "aria-disabled": String(over()),
        "data-mark": mark || false,
      });
      write(node, `${mark} ${choice}`.trim());
    });
    fill(field, { readonly: over() });
    if (over() || state === "answered") whenShown(() => turnOutput(stage, over()));
  };

  function whenShown(act) {
    if (stage.isConnected) act();
    else if (!signal.aborted) requestAnimationFrame(() => whenShown(act));
  }
});

// The next code cell of JupyterLab's page; elsewhere there is none.
function cellBelow(node) {
  let cell = node.closest(".jp-Cell")?.nextElementSibling;
  while (cell && !cell.classList.contains("jp-CodeCell")) cell = cell.nextElementSibling;
  return cell;
}

// Opens or shuts its output, by the click that a person would give it.
function turnOutput(node, open) {
  const cell = cellBelow(node);
  if (!cell?.querySelector(".jp-OutputPlaceholder") !== open) cell?.querySelector(".jp-OutputCollapser > *")?.click();
}
