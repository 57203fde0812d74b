// The tokens with what became of each and what is to be predicted below; under them the tally of all rolls so far.

export default courseWidget((view) => {
  const { model, words } = view;
  view.stage.classList.add("mr-stage");
  textBox(view, "sentence", { label: words.sentence });
  textBox(view, "pair", { label: words.pair });
  checkbox(view, "whole_words", { label: words.whole_words });
  const most = 100000;
  const go = (roll) => view.send({ roll: clamp(roll, 1, most) });
  const buttons = make("span", { class: "mr-buttons", role: "group", "aria-label": words.rolls });
  view.controls.append(buttons);
  button(view, { label: words.roll, testid: "roll", press: () => go(model.get("roll") + 1), into: buttons });
  button(view, { label: words.many, testid: "many", press: () => go(model.get("roll") + 1000), into: buttons });
  button(view, { label: words.again, testid: "again", press: () => go(1), into: buttons });
  numberBox("seed", words.seed);

  const row = make("ol", { class: "mr-row", "aria-label": words.tokens, "data-testid": "tokens" });
  const legend = make("p", { class: "mr-legend", "aria-hidden": "true" },
    ...["masked", "random", "kept", "plain", "special"].map((fate) =>
      make("span", { class: `mr-key mr-${fate}` }, `${SIGNS[fate]} ${words[fate]}`)));
  panel(view, words.tokens, row, legend, make("p", { class: "course-note" }, words.hint)).classList.add("mr-wide");
  const body = make("tbody");
  const tally = make("table", { class: "mr-table", "data-testid": "tally" },
    make("thead", {}, make("tr", {}, ...[words.what, words.count, words.share, words.expected, words.bar].map((head) =>
      make("th", { scope: "col" }, head)))), body);
  const tallied = panel(view, "", tally, make("p", { class: "course-note" }, words.tally_hint));
  tallied.classList.add("mr-wide");

  return ({ tokens, tally: lines, rolls }) => {
    row.replaceChildren(...tokens.map(card));
    tallied.querySelector("figcaption").textContent = words.tally.replace("{rolls}", rolls.toLocaleString("en"));
    body.replaceChildren(...lines.map(line));
  };

  function card({ shown, true: label, fate, chosen, continues, segment }) {
    const said = `${shown}: ${words[fate]}${chosen ? `, ${words.label} ${label}` : ""}`;
    return make("li", { class: `mr-card${continues ? " mr-continues" : ""}`, "aria-label": said, "data-fate": fate },
      make("span", { class: `mr-token mr-${fate}` }, make("i", { "aria-hidden": "true" }, SIGNS[fate]), shown),
      make("b", { class: "mr-label" }, chosen ? label : "–"),
      make("span", { class: "mr-fate" }, chosen ? words[fate] : segment ? words.second : words.first));
  }

  function line({ name, count, of, share, expected, error }) {
    const percent = (value) => (value === null ? "–" : `${number(100 * value, 1)} %`);
    const top = name === "chosen" ? 0.3 : 1;
    const bar = make("span", { class: "mr-bar" }, make("span", { class: `mr-fill mr-fill-${name}` }),
      make("span", { class: "mr-band" }), make("span", { class: "mr-tick" }));
    bar.style.setProperty("--share", `${clamp(100 * (share ?? 0) / top, 0, 100)}%`);
    bar.style.setProperty("--expected", `${100 * expected / top}%`);
    bar.style.setProperty("--low", `${clamp(100 * (expected - error) / top, 0, 100)}%`);
    bar.style.setProperty("--high", `${clamp(100 * (expected + error) / top, 0, 100)}%`);
    return make("tr", { "data-name": name },
      make("th", { scope: "row" }, `${SIGNS[name] ?? ""} ${words[name]}`),
      make("td", {}, `${count.toLocaleString("en")} / ${of.toLocaleString("en")}`),
      make("td", { class: "mr-share" }, percent(share)),
      make("td", {}, `${percent(expected)} ± ${number(100 * error, 1)}`), make("td", { "aria-hidden": "true" }, bar));
  }

  // A box for a whole number; what is no number is not sent.
  function numberBox(trait, label) {
    const input = make("input", { type: "number", step: 1, min: 0, max: 9999, class: "mr-number", "data-testid": trait });
    input.addEventListener("input", () => {
      if (/^-?\d+$/.test(input.value)) view.send({ [trait]: Number(input.value) });
    }, { signal: view.signal });
    view.onChange(() => {
      if (input.getRootNode().activeElement !== input) input.value = model.get(trait);
    });
    add(view, undefined, make("label", { class: "course-control" }, make("span", {}, label), input));
  }
});

// Fates differ in sign, filling and line, not in colour alone.
const SIGNS = { chosen: "○", masked: "■", random: "◆", kept: "●", plain: "", special: "▫" };
