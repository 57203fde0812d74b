// The tokens with what became of each and what is to be predicted below; under them the tally of all rolls so far, and
// beside it the summary.

import { clamp, courseWidget, dense, each, fill, make, number, on, panel, row, table, write } from "../common.js";
import { add, button, checkbox, textBox } from "../controls.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  dense(view, { low: true });
  view.controls.classList.add("course-lines");
  textBox(view, "sentence", { label: words.sentence });
  textBox(view, "pair", { label: words.pair });
  checkbox(view, "whole_words", { label: words.whole_words });
  const go = (roll) => view.send({ roll: clamp(roll, 1, constants.most_rolls) });
  const buttons = make("span", { class: "mr-buttons", role: "group", "aria-label": words.rolls });
  view.controls.append(buttons);
  button(view, { label: words.roll, testid: "roll", press: () => go(model.get("roll") + 1), into: buttons });
  button(view, {
    label: words.many.replace("{count}", constants.many.toLocaleString("en")),
    testid: "many",
    press: () => go(model.get("roll") + constants.many),
    into: buttons,
  });
  button(view, { label: words.again, testid: "again", press: () => go(1), into: buttons });
  numberBox("seed", words.seed);

  const list = make("ol", {
    class: "course-frame course-flow mr-row",
    tabindex: 0,
    "aria-label": words.tokens,
    "data-testid": "tokens",
  });
  const legend = make(
    "p",
    { class: "course-legend mr-legend", "aria-hidden": "true" },
    ...["masked", "random", "kept", "plain", "special"].map((fate) =>
      make("span", { class: `mr-key mr-${fate}` }, `${SIGNS[fate]} ${words[fate]}`),
    ),
  );
  const tokens = panel(view, "", list, make("p", { class: "course-note" }, words.hint));
  tokens.classList.add("course-row");
  fill(tokens.firstChild, { class: "course-apart mr-heading" }, make("span", {}, words.tokens), legend);
  const body = make("tbody");
  const heads = [words.what, words.count, words.share, words.expected, words.bar];
  const tally = table({ class: "course-table mr-table", "data-testid": "tally" }, heads, body);
  const tallied = panel(view, "", tally);
  tallied.classList.add("course-broad");
  const summary = view.stage.parentElement.querySelector(".course-summary");
  view.stage.append(summary, make("p", { class: "course-note mr-note" }, words.tally_hint));

  return ({ tokens: received, tally: lines, rolls }) => {
    each(list, received, card, drawCard);
    write(tallied.firstChild, words.tally.replace("{rolls}", rolls.toLocaleString("en")));
    each(body, lines, line, drawLine);
  };

  function card() {
    return make(
      "li",
      {},
      make("span", {}, make("i", { "aria-hidden": "true" }), ""),
      make("b", { class: "mr-label" }),
      make("span", { class: "course-small mr-fate" }),
    );
  }

  function drawCard(node, { shown, true: label, fate, chosen, continues, segment }) {
    const said = `${shown}: ${words[fate]}${chosen ? `, ${words.label} ${label}` : ""}`;
    const [token, own, told] = node.children;
    fill(node, {
      class: `course-stack mr-card${continues ? " mr-continues" : ""}`,
      "aria-label": said,
      "data-fate": fate,
    });
    fill(token, { class: `mr-token mr-${fate}` });
    write(token.firstChild, SIGNS[fate]);
    write(token.lastChild, shown);
    write(own, chosen ? label : "–");
    write(told, chosen ? words[fate] : segment ? words.second : words.first);
  }

  function line() {
    const bar = make(
      "span",
      { class: "course-track mr-bar" },
      ...["mr-fill", "mr-band", "mr-tick"].map((look) => make("span", { class: look })),
    );
    const node = row(4);
    fill(node.lastChild, { "aria-hidden": "true" }, bar);
    return node;
  }

  function drawLine(node, { name, count, of, share, expected, error }) {
    const percent = (value) => (value === null ? "–" : `${number(100 * value, 1)} %`);
    const top = name === "chosen" ? 0.3 : 1;
    const bar = node.lastChild.firstChild;
    const places = { share: share ?? 0, expected, low: expected - error, high: expected + error };
    for (const [place, value] of Object.entries(places))
      bar.style.setProperty(`--${place}`, `${clamp((100 * value) / top, 0, 100)}%`);
    fill(node, { "data-name": name });
    fill(bar.firstChild, { class: `mr-fill mr-fill-${name}` });
    [
      `${SIGNS[name] ?? ""} ${words[name]}`,
      `${count.toLocaleString("en")} / ${of.toLocaleString("en")}`,
      percent(share),
      `${percent(expected)} ± ${number(100 * error, 1)}`,
    ].forEach((text, column) => {
      write(node.children[column], text);
    });
  }

  // A box for a whole number; what is no number is not sent.
  function numberBox(trait, label) {
    const look = { type: "number", step: 1, min: 0, max: constants.most_seed, class: "mr-number" };
    const input = make("input", { ...look, "data-testid": trait });
    on(view, input, "input", () => {
      if (/^-?\d+$/.test(input.value)) view.send({ [trait]: Number(input.value) });
    });
    view.onChange(() => {
      if (input.getRootNode().activeElement !== input) input.value = model.get(trait);
    });
    add(view, undefined, make("label", { class: "course-control" }, make("span", {}, label), input));
  }
});

// Fates differ in sign, filling and line, not in colour alone.
const SIGNS = { chosen: "○", masked: "■", random: "◆", kept: "●", plain: "", special: "▫" };
