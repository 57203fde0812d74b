// Two choices, a button that swaps them, a box for "only what differs"; below, one table with a row for each part (a bar
// and a number on either side) and for each question (words on either side). What differs has a thick line and a ≠.

import { courseWidget, dense, each, fill, make, panel, scrolled, write } from "../common.js";
import { button, checkbox, choice } from "../controls.js";

export default courseWidget((view) => {
  const { model, words } = view;
  dense(view, { low: true });
  const options = model.get("setup").names.map((name) => [name, name]);
  choice(view, "left", { label: words.left, options });
  choice(view, "right", { label: words.right, options });
  button(view, {
    label: words.swap,
    testid: "swap",
    press: () => view.send({ left: model.get("right"), right: model.get("left") }),
  });
  checkbox(view, "differing", { label: words.differing });

  const names = ["left", "right"].map((side) => make("th", { scope: "col", "data-testid": `name-${side}` }));
  const groups = { parts: make("tbody"), facts: make("tbody") };
  const totals = [make("td"), make("td")];
  const sum = make("tr", { class: "fe-sum" }, make("th", { scope: "row" }, words.total), make("td"), ...totals);
  const table = make(
    "table",
    { class: "course-fixed fe-table", "data-testid": "rows" },
    make(
      "thead",
      {},
      make("tr", {}, make("th", { scope: "col" }, words.row), make("th", { scope: "col" }, words.mark), ...names),
    ),
    ...Object.entries(groups).flatMap(([kind, body]) => [
      make("tbody", {}, make("tr", {}, make("th", { class: "fe-group", colspan: 4, scope: "colgroup" }, words[kind]))),
      body,
      ...(kind === "parts" ? [make("tbody", { "data-testid": "total" }, sum)] : []),
    ]),
  );
  const frame = scrolled("course-frame fe-frame", words.picture, table);
  panel(view, words.picture, frame, make("p", { class: "course-note" }, words.hint)).classList.add("course-row");

  return ({ parts, facts, totals: sums, same_total: same }) => {
    write(names[0], model.get("left"));
    write(names[1], model.get("right"));
    for (const [kind, rows] of Object.entries({ parts, facts })) {
      const none = { name: words.nothing, sides: [{ text: "" }, { text: "" }], differs: false, empty: true };
      each(groups[kind], rows.length ? rows : [none], (place) => line(kind, place), show);
    }
    totals.forEach((cell, side) => {
      write(cell, sums[side]);
    });
    mark(sum, !same);
  };

  function line(kind, place) {
    const side = () =>
      kind === "parts"
        ? make(
            "td",
            {},
            make("div", { class: "course-track fe-track", "aria-hidden": "true" }, make("i")),
            make("span"),
          )
        : make("td", {}, make("span", {}));
    return make("tr", { "data-testid": `${kind}-${place}` }, make("th", { scope: "row" }), make("td"), side(), side());
  }

  function show(row, { name, sides, differs, empty }) {
    const [head, sign, ...cells] = row.children;
    write(head, name);
    mark(row, differs, empty);
    if (empty) write(sign, "");
    cells.forEach((cell, side) => {
      write(cell.lastElementChild, sides[side].text);
      if (cell.childElementCount > 1) cell.firstElementChild.style.setProperty("--share", sides[side].share ?? 0);
    });
  }

  // A sign for the eye, a word for the ear.
  function mark(row, differs, empty = false) {
    fill(row, { class: [row === sum ? "fe-sum" : "", differs ? "fe-differs" : "fe-same"].join(" ").trim() });
    const cell = row.children[1];
    if (empty) return;
    if (!cell.childElementCount)
      cell.append(make("span", { "aria-hidden": "true" }), make("span", { class: "course-unseen" }));
    write(cell.firstElementChild, differs ? "≠" : "=");
    write(cell.lastElementChild, differs ? words.differs : words.same);
  }
});
