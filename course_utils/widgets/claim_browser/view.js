// A claim to choose, its sentence, and three tables: the paper's numbers, later ones, ours; each row with its bars.

import { compact, courseWidget, dense, each, fill, make, panel, row, table, write } from "../common.js";
import { button, checkbox, choice } from "../controls.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  compact(view);
  dense(view);
  view.stage.classList.add("cb-stage");
  choice(view, "claim", { label: words.claim, options: model.get("titles").map((title, place) => [place, title]) });
  const step = (by) => () => {
    const to = model.get("claim") + by;
    if (to >= 0 && to < model.get("titles").length) view.send({ claim: to });
  };
  const previous = button(view, { label: "‹", testid: "previous", press: step(-1) });
  const next = button(view, { label: "›", testid: "next", press: step(1) });
  fill(previous, { "aria-label": words.previous });
  fill(next, { "aria-label": words.next });
  checkbox(view, "differences", { label: words.differences });

  const NONE = { later: words.none_later, ours: words.none_ours };
  const sentence = make("p", { class: "cb-says", "data-testid": "says" });
  view.stage.before(sentence);
  const sides = constants.sides.map(makeSide);

  return (picture) => {
    const place = picture.place ? make("span", { class: "cb-place" }, ` ${picture.place}`) : "";
    sentence.replaceChildren(picture.says, place);
    // Not `disabled`: whoever pressed it would lose the focus.
    fill(previous, { "aria-disabled": String(picture.claim === 0) });
    fill(next, { "aria-disabled": String(picture.claim === picture.last) });
    for (const side of sides) side(picture[side.side], picture.differences);
  };

  // A panel; what is returned draws it.
  function makeSide(name) {
    const unit = make("p", { class: "course-small cb-small" });
    const body = make("tbody");
    const names = [words.what, "", "", words.change, words.source];
    const look = { class: "course-fixed cb-table", "aria-label": words[name], "data-testid": `${name}-table` };
    const numbers = table(look, names, body);
    const heads = numbers.tHead.rows[0].cells;
    const note = make("p", { class: "course-small cb-small", "data-testid": `${name}-note` });
    const node = panel(view, words[name], unit, numbers, note);
    fill(node, { class: `course-panel cb-${name}`, "data-testid": name });
    const draw = (side, differences) => {
      fill(numbers, { hidden: !side });
      fill(unit, { hidden: !side?.unit });
      write(unit, side?.unit ?? "");
      write(note, side ? side.note : (NONE[name] ?? ""));
      if (!side) return body.replaceChildren();
      for (const place of [0, 1]) write(heads[place + 1], side.names[place].replaceAll("_", "_\u200b")); // may break there
      each(body, side.rows, makeRow, (node, row) => drawRow(node, row, differences));
    };
    draw.side = name;
    return draw;
  }

  function makeRow() {
    const track = make("span", { class: "cb-track", "aria-hidden": "true" }, make("i"), make("i"));
    const node = row(4);
    node.firstChild.append(make("span"), track);
    return node;
  }

  function drawRow(node, { label, source, shown, bars, difference }, differences) {
    const [head, value, reference, change, where] = node.children;
    const [name, track] = head.children;
    write(name, label);
    write(value, shown.value);
    write(reference, shown.reference || "–");
    write(change, `${shown.difference || "–"} ${shown.half}`.trim());
    write(where, source);
    const drawn = differences
      ? [["difference", difference < 0 ? "cb-less" : ""]]
      : [
          ["value", "cb-value-bar"],
          ["reference", "cb-reference-bar"],
        ];
    fill(track, { class: differences ? "cb-track cb-middle" : "cb-track" });
    [...track.children].forEach((bar, place) => {
      const [key, look] = drawn[place] ?? [];
      const [start, length] = bars[key] ?? [0, 0];
      fill(bar, { class: look ?? "", hidden: !bars[key], style: `left: ${100 * start}%; width: ${100 * length}%` });
    });
  }
});
