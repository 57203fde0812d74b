// A sentence on its way down: its pieces as columns, a row a layer, and what fills the piece that is hidden. The title of
// each stage leads to its notebooks.

import {
  courseWidget,
  dense,
  door,
  each,
  fill,
  make,
  number,
  on,
  panel,
  row,
  scrolled,
  table,
  write,
} from "../common.js";
import { textBox, walk } from "../controls.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  const { files } = model.get("picture");
  dense(view);
  view.stage.classList.add("bg-stage");
  textBox(view, "sentence", { label: words.sentence });

  const heads = make("tr", {}, make("td"));
  const grid = table({ class: "course-table bg-grid", "data-testid": "grid" }, []);
  grid.tHead.replaceChildren(heads);
  const titles = make("span", { class: "bg-titles" }, stage("pieces"), "→", stage("layers"));
  panel(view, titles, scrolled("course-frame", words.pieces, grid)).classList.add("course-broad");
  const fills = make("ol", { class: "bg-fills", "data-testid": "fills" });
  const empty = make("p", { class: "course-small" }, words.empty);
  panel(view, stage("fills"), fills, empty);
  let buttons = []; // of the pieces between [CLS] and [SEP]

  return ({ pieces, layers, asked, fills: best }) => {
    if (heads.childElementCount !== pieces.length + 1) {
      const held = buttons.includes(document.activeElement);
      buttons = pieces.slice(2).map((_, place) => card(place));
      const ends = [0, 1].map(() => make("span", { class: "course-stack bg-piece" }, make("b"), make("small")));
      const cells = [ends[0], ...buttons, ends[1]].map((node) => make("th", { scope: "col" }, node));
      heads.replaceChildren(heads.firstChild, ...cells);
      if (held) buttons[Math.max(0, asked - 1)]?.focus();
    }
    pieces.forEach(({ text, id }, place) => {
      const node = heads.children[place + 1].firstChild;
      write(node.firstChild, text);
      write(node.lastChild, String(id));
      if (node.type === "button") {
        fill(node, { "aria-pressed": String(place === asked), tabindex: place === Math.max(1, asked) ? 0 : -1 });
      }
    });
    each(
      grid.tBodies[0],
      layers,
      () => row(0),
      (node, cosines, layer) => {
        write(node.firstChild, layer ? words.layer.replace("{n}", layer) : words.embedding);
        while (node.childElementCount > cosines.length + 1) node.lastChild.remove();
        while (node.childElementCount <= cosines.length) node.append(make("td"));
        cosines.forEach((cosine, place) => {
          const cell = node.children[place + 1];
          write(cell, number(cosine));
          fill(cell, { style: `--share: ${Math.min(1, 1 - cosine).toFixed(3)}`, class: place === asked && "bg-asked" });
        });
      },
    );
    empty.hidden = best.length > 0;
    each(
      fills,
      best,
      () => make("li", {}, make("b"), make("span", { class: "course-track" }, make("i")), make("span")),
      (node, { text, share }) => {
        write(node.children[0], text);
        fill(node.children[1].firstChild, { style: `--share: ${share}` });
        write(node.children[2], `${number(100 * share, 0)} %`);
      },
    );
  };

  function stage(name) {
    const doors = constants.doors[name].map((lesson) => door(view, files[lesson][0], `${lesson} ${files[lesson][1]}`));
    return make("span", { class: "bg-title" }, words[name], ...doors);
  }

  function card(place) {
    const node = make("button", { type: "button", class: "course-stack bg-piece" }, make("b"), make("small"));
    fill(node, { "data-testid": `piece-${place + 1}` });
    on(view, node, "click", () => go(model.get("piece") === place + 1 ? -1 : place));
    walk(view, node, place, { last: () => buttons.length - 1, go, arrows: "Left Right" });
    return node;
  }

  function go(place) {
    view.send({ piece: place + 1 });
    buttons[place]?.focus();
  }
});
