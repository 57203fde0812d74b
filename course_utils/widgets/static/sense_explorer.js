// A typed sentence: its words coloured by how they moved the one in question, its senses as bars, its place on the map.

export default courseWidget((view) => {
  const { model, words, signal } = view;
  view.stage.classList.add("se-stage");
  textBox(view, "sentence", { label: words.sentence });
  const names = model.get("picture").words ?? [];
  choice(view, "word", { label: words.word, options: names.map((name) => [name, name]) });
  const which = make("select", { "data-testid": "occurrence" });
  which.addEventListener("change", () => view.send({ occurrence: Number(which.value) }), { signal });
  const several = make("label", { class: "course-control" }, make("span", {}, words.occurrence), which);
  view.controls.append(several);

  const sentence = make("div", { class: "se-sentence", role: "list", "data-testid": "parts" });
  panel(view, words.moved, sentence, make("p", { class: "course-note" }, words.moved_hint)).classList.add("se-wide");
  const bars = make("div", { class: "se-bars", role: "list", "data-testid": "bars" });
  panel(view, words.bars, bars).classList.add("se-half");
  const area = plane({ width: 480, height: 330, margin: 24, label: words.map });
  area.range(-1.45, 1.45, -1.05, 1.05);
  panel(view, words.map, area.root, make("p", { class: "course-note" }, words.map_hint)).classList.add("se-half");

  return (picture) => {
    several.hidden = picture.count < 2;
    several.style.display = picture.count < 2 ? "none" : "";
    if (which.options.length !== picture.count) {
      which.replaceChildren(...Array.from({ length: picture.count }, (_, place) =>
        make("option", { value: place }, words.ordinal.replace("{n}", place + 1))));
    }
    which.value = String(picture.chosen);
    sentence.replaceChildren(...picture.parts.map(part));
    bars.replaceChildren(...picture.bars.flatMap(bar));
    drawMap(picture);
  };

  function part({ text, role, moved, share }) {
    if (role === "rest") return make("span", {}, text);
    const side = role === "word" ? "se-word" : share >= 0 ? "se-for" : "se-against";
    const sign = moved > 0 ? "+" : "";
    const node = make("span", { class: `se-part ${side}`, role: "listitem" },
      make("span", {}, text), make("small", {}, role === "word" ? "" : `${sign}${number(moved, 1)}`));
    node.style.setProperty("--share", String(Math.min(1, Math.abs(share ?? 0))));
    return node;
  }

  function bar({ kind, shown, score }, place) {
    const filled = make("div", { class: `se-fill sense-${kind % SENSE_SHAPES.length}` });
    filled.style.width = `${Math.max(0.5, 100 * score)}%`;
    const first = place === 0 ? "se-first" : "";
    return [
      make("span", { class: first, role: "listitem" }, shown),
      make("div", { class: "se-track", "aria-hidden": "true" }, filled),
      make("span", { class: `se-score ${first}` }, `${number(100 * score, 0)} %`),
    ];
  }

  function drawMap({ points, kinds, own, bars: [best] }) {
    const [x, y] = [area.x(own[0] * 1.38), area.y(own[1])];
    const star = Array.from({ length: 10 }, (_, corner) => {
      const reach = corner % 2 ? 6 : 15;
      const turn = (Math.PI * corner) / 5 - Math.PI / 2;
      return `${x + reach * Math.cos(turn)},${y + reach * Math.sin(turn)}`;
    });
    area.root.replaceChildren(
      ...points.map(([px, py], index) => senseMark(kinds[index], area.x(px * 1.38), area.y(py), 5)),
      svg("polygon", { class: "se-own", points: star.join(" "), "data-testid": "own" }),
      nameBeyond(area, best.shown, x, y, area.width / 2, area.height / 2, 16),
    );
  }
});
