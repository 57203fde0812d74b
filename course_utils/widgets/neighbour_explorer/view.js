// Left the map around the word, right its neighbours as buttons: pressing one goes there.

import { clamp, compact, courseWidget, fill, make, number, on, panel, svg } from "../common.js";
import { slider, textBox } from "../controls.js";
import { label, plane } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words } = view;
  view.stage.classList.add("ne-stage");
  compact(view);
  textBox(view, "word", { label: words.word });
  const names = model.get("moment_names");
  slider(view, "moment", { range: [0, names.length - 1], say: (at) => names[at] ?? String(at) });

  const area = plane({ width: 400, height: 290, margin: 24, label: words.map });
  panel(view, words.map, area.root, make("p", { class: "course-note" }, words.map_note));
  const list = make("ol", { class: "ne-list", "aria-label": words.neighbours, "data-testid": "neighbours" });
  panel(view, words.neighbours, list);
  let buttons = [];

  return (picture) => {
    drawMap(picture);
    drawList(picture);
  };

  function drawMap(picture) {
    area.range(-picture.reach, picture.reach, -picture.reach, picture.reach);
    const placed = picture.points.map((point) => ({ ...point, px: area.x(point.x), py: area.y(point.y) }));
    const middle = { word: picture.word, px: area.x(0), py: area.y(0), near: true, centre: true };
    const labels = spread([...(picture.known ? [middle] : []), ...placed]);
    area.root.replaceChildren(
      ...labels.flatMap((point) => {
        const kind = point.centre ? "sense-6" : `sense-4${point.near ? "" : " ne-far"}`;
        const right = point.px < area.width * 0.62;
        return [
          svg("circle", { class: `ne-dot ${kind}`, cx: point.px, cy: point.py, r: point.centre ? 8 : 5 }),
          label(point.px + (right ? 10 : -10), point.ly, point.word, right ? "start" : "end", {
            class: `course-name ${kind}`,
            "dominant-baseline": "central",
          }),
        ];
      }),
    );
  }

  // Labels that would cover each other are pushed apart, up and down.
  function spread(points) {
    const sorted = points.map((point) => ({ ...point, ly: point.py })).sort((a, b) => a.py - b.py);
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < sorted.length; i++) {
        for (let j = i + 1; j < sorted.length; j++) {
          const gap = 17 - Math.abs(sorted[j].ly - sorted[i].ly);
          if (gap <= 0 || Math.abs(sorted[j].px - sorted[i].px) > 95) continue;
          const up = sorted[j].ly >= sorted[i].ly ? -1 : 1;
          sorted[i].ly = clamp(sorted[i].ly + (up * gap) / 2, 10, area.height - 10);
          sorted[j].ly = clamp(sorted[j].ly - (up * gap) / 2, 10, area.height - 10);
        }
      }
    }
    return sorted;
  }

  function drawList(picture) {
    if (buttons.length !== picture.neighbours.length) {
      buttons = picture.neighbours.map((_, place) => entry(place));
      list.replaceChildren(...buttons.map((node) => make("li", {}, node)));
    }
    picture.neighbours.forEach((one, place) => {
      fill(
        buttons[place],
        { "aria-label": `${one.word} ${number(one.cosine)}` },
        make("b", {}, one.word),
        " ",
        make("span", {}, number(one.cosine)),
      );
    });
  }

  function entry(place) {
    const node = make("button", { type: "button" });
    on(view, node, "click", () => view.send({ word: model.get("picture").neighbours[place].word }));
    return node;
  }
});
