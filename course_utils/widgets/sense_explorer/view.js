// A typed sentence: its words coloured by how they moved the one in question, its senses as bars, its place on the map.

import { compact, courseWidget, fill, make, number, on, panel, svg, write } from "../common.js";
import { choice, textBox } from "../controls.js";
import { nameBeyond, plane, SENSE_SHAPES, senseMark } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words } = view;
  view.stage.classList.add("course-columns", "se-stage");
  compact(view);
  textBox(view, "sentence", { label: words.sentence });
  const names = model.get("picture").words ?? [];
  choice(view, "word", { label: words.word, options: names.map((name) => [name, name]) });
  const which = make("select", { "data-testid": "occurrence" });
  on(view, which, "change", () => view.send({ occurrence: Number(which.value) }));
  const several = make("label", { class: "course-control" }, make("span", {}, words.occurrence), which);
  view.controls.append(several);

  const sentence = make("div", { role: "list", "data-testid": "parts" });
  panel(view, words.moved, sentence).classList.add("course-broad", "se-moved");
  const bars = make("div", { class: "se-bars", role: "list", "data-testid": "bars" });
  panel(view, words.bars, bars).classList.add("course-broad");
  const area = plane({ width: 360, height: 246, margin: 20, label: words.map });
  area.range(-1.45, 1.45, -1.05, 1.05);
  const marks = svg("g", { class: "se-marks" });
  const star = svg("polygon", { class: "se-own", "data-testid": "own" });
  const named = svg("g");
  area.root.append(marks, star, named);
  let background = null; // the points that are drawn: most sentences leave them where they are
  panel(view, words.map, area.root).classList.add("course-broad", "se-map");
  view.stage.append(make("p", { class: "course-note se-hint" }, `${words.moved_hint} ${words.map_hint}`));

  return (picture) => {
    several.hidden = picture.count < 2;
    if (which.options.length !== picture.count) {
      which.replaceChildren(
        ...Array.from({ length: picture.count }, (_, place) =>
          make("option", { value: place }, words.ordinal.replace("{n}", place + 1)),
        ),
      );
    }
    which.value = String(picture.chosen);
    const own = picture.bars[0].kind % SENSE_SHAPES.length;
    // While it is busy, the words of the context are still to come.
    fill(sentence, { class: `course-flow se-sentence sense-${own}`, "aria-busy": String(picture.weighing) });
    if (!picture.weighing) {
      picture.parts.forEach(drawPart);
      while (sentence.childElementCount > picture.parts.length) sentence.lastChild.remove();
    }
    if (bars.childElementCount !== 3 * picture.bars.length) bars.replaceChildren(...picture.bars.flatMap(bar));
    else picture.bars.forEach(drawBar);
    drawMap(picture);
  };

  // Each key changes most numbers and few words: what is there already is written anew only where it differs.
  function drawPart({ text, role, moved, share }, place) {
    const rest = role === "rest";
    let node = sentence.children[place];
    if (!node || rest !== (node.childElementCount === 0)) {
      const fresh = rest ? make("span") : make("span", { role: "listitem" }, make("span"), make("small"));
      if (node) node.replaceWith(fresh);
      else sentence.append(fresh);
      node = fresh;
    }
    if (rest) return write(node, text);
    const side = role === "word" ? "se-word" : share >= 0 ? "se-for" : "se-against";
    const sign = moved > 0 ? "+" : "";
    fill(node, {
      class: `course-stack se-part ${side}`,
      style: `--share: ${Math.min(1, Math.abs(share ?? 0)).toFixed(3)}`,
    });
    write(node.firstChild, text);
    write(node.lastChild, role === "word" ? "" : `${sign}${number(moved, 1)}`);
  }

  function bar({ kind, shown, score }, place) {
    const first = place === 0 ? "se-first" : "";
    return [
      make("span", { class: first, role: "listitem" }, shown),
      make("div", { class: "course-track se-track", "aria-hidden": "true" }, fillBar(make("i"), kind, score)),
      make("span", { class: `se-score ${first}` }, `${number(100 * score, 0)} %`),
    ];
  }

  function drawBar({ kind, shown, score }, place) {
    const [name, track, said] = [0, 1, 2].map((column) => bars.children[3 * place + column]);
    write(name, shown);
    fillBar(track.firstChild, kind, score);
    write(said, `${number(100 * score, 0)} %`);
  }

  function fillBar(node, kind, score) {
    const style = `width: ${Math.max(0.5, 100 * score).toFixed(2)}%`;
    return fill(node, { class: `sense-${kind % SENSE_SHAPES.length}`, style });
  }

  function drawMap({ own, bars: [best] }) {
    if (background !== model.get("background")) {
      background = model.get("background");
      const { points, kinds } = background;
      marks.replaceChildren(
        ...points.map(([px, py], index) => senseMark(kinds[index], area.x(px * 1.38), area.y(py), 4)),
      );
    }
    const [x, y] = [area.x(own[0] * 1.38), area.y(own[1])];
    const corners = Array.from({ length: 10 }, (_, corner) => {
      const reach = corner % 2 ? 5 : 12;
      const turn = (Math.PI * corner) / 5 - Math.PI / 2;
      return `${x + reach * Math.cos(turn)},${y + reach * Math.sin(turn)}`;
    });
    const at = corners.join(" ");
    if (star.getAttribute("points") === at && named.textContent === best.shown) return;
    fill(star, { points: at });
    named.replaceChildren(nameBeyond(area, best.shown, x, y, area.width / 2, area.height / 2, 16));
  }
});
