// First the heads as small maps to choose from, then the chosen one as a table, the chosen row as lines, and what the
// output of each word loses through heads that are switched off.

import { compact, courseWidget, fill, make, number, on, panel, svg, write } from "../common.js";
import { textBox, walk } from "../controls.js";
import { blend } from "../drawing.js";

const STEP = 32; // between the lines' words, in drawing units
const DENSE = 6; // more words leave no room for numbers in the table

export default courseWidget((view) => {
  const { model, words, constants } = view;
  view.stage.classList.add("hg-stage");
  compact(view);
  textBox(view, "sentence", { label: words.sentence });

  const cards = make("div", { class: "hg-heads", role: "group", "aria-label": words.heads });
  const table = make("table", { class: "course-cells hg-table", "data-testid": "map" });
  const lines = svg("svg", { class: "hg-lines", role: "img" });
  const losses = make("tbody");
  panel(view, words.heads, cards).classList.add("hg-choice");
  const large = panel(view, "", make("div", { class: "hg-scroll" }, table));
  large.classList.add("hg-large");
  const caption = large.querySelector("figcaption");
  const lineCaption = panel(view, "", lines).querySelector("figcaption");
  let _lossPanel = null;

  let drawn = "";
  let painted = ""; // the weights of the maps
  let inTable = []; // the weights and the head that the table shows
  let headButtons = [];
  let wordButtons = [];
  const chosenHead = () => model.get("head");
  const chosenWord = () => Math.min(model.get("word"), model.get("picture").words.length - 1);
  const isOff = (head) => model.get("off").includes(head);
  const setOff = (head, off) => {
    const others = model.get("off").filter((other) => other !== head);
    view.send({ off: off ? [...others, head].sort((a, b) => a - b) : others });
  };

  const draw = (picture) => {
    const shape = JSON.stringify([picture.words, picture.heads, picture.lost !== null]);
    if (shape !== drawn) {
      buildHeads(picture);
      buildTable(picture);
      buildLines(picture);
      buildLosses(picture);
      drawn = shape;
      inTable = [];
      painted = "";
    }
    const before = painted;
    painted = JSON.stringify(picture.weights);
    if (painted !== before) paintHeads(picture);
    drawLosses(picture);
    follow(picture);
  };
  return { draw, follow };

  function follow(picture) {
    drawHeads();
    drawTable(picture);
    drawLines(picture);
  }

  // The arrow keys walk along `buttons` (a roving tab stop); choose(index) is told where they are.
  function walkAlong(buttons, choose) {
    buttons.forEach((button, index) => {
      const go = (to) => {
        buttons[to].focus();
        choose(to);
      };
      walk(view, button, index, { last: () => buttons.length - 1, go, arrows: "Left Up Right Down" });
    });
  }

  function buildHeads({ heads, lost }) {
    const hadFocus = headButtons.includes(document.activeElement);
    headButtons = heads.map((name, head) => {
      const map = svg(
        "svg",
        { class: "hg-mini", viewBox: "0 0 1 1", "aria-hidden": "true" },
        svg("image", { width: 1, height: 1 }),
      );
      const button = make(
        "button",
        { type: "button", "data-testid": `head-${head}` },
        map,
        make("span", { class: "hg-name" }, name),
      );
      on(view, button, "click", () => view.send({ head }));
      on(view, button, "keydown", (event) => {
        if (lost !== null && ["Delete", "Backspace"].includes(event.key)) setOff(head, !isOff(head));
      });
      return button;
    });
    walkAlong(headButtons, (head) => view.send({ head }));
    cards.replaceChildren(
      ...headButtons.map((button, head) => {
        const card = make("div", { class: "hg-card" }, button);
        if (lost !== null) {
          const label = words.on.replace("{name}", () => heads[head]);
          const input = make("input", { type: "checkbox", "data-testid": `on-${head}`, "aria-label": label });
          on(view, input, "change", () => setOff(head, !input.checked));
          const state = make("span", { "aria-hidden": "true" });
          card.append(make("label", { class: "hg-switch" }, input, state));
        }
        return card;
      }),
    );
    if (hadFocus) headButtons[chosenHead()].focus();
  }

  // Each map is one image, a pixel a weight: thousands of cells, or a canvas each, would slow down every frame of the page.
  function paintHeads({ words: tokens, weights }) {
    const canvas = make("canvas", { width: tokens.length, height: tokens.length });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    headButtons.forEach((button, head) => {
      weights[head].forEach((row, i) => {
        row.forEach((weight, j) => {
          context.fillStyle = shade(weight);
          context.fillRect(j, i, 1, 1);
        });
      });
      fill(button.querySelector("image"), { href: canvas.toDataURL() });
    });
  }

  function drawHeads() {
    headButtons.forEach((button, head) => {
      const chosen = head === chosenHead();
      fill(button, { "aria-pressed": String(chosen), tabindex: chosen ? 0 : -1 });
      const input = button.parentElement.querySelector("input");
      button.parentElement.classList.toggle("hg-off", isOff(head));
      if (input) {
        input.checked = !isOff(head);
        write(input.nextSibling, isOff(head) ? words.is_off : words.is_on);
      }
    });
  }

  function buildTable({ words: tokens }) {
    const hadFocus = wordButtons.includes(document.activeElement);
    table.classList.toggle("course-upright", tokens.length > DENSE);
    const heads = tokens.map((token) => make("th", { scope: "col", title: token }, make("span", {}, token)));
    wordButtons = tokens.map((token, place) => {
      const button = make(
        "button",
        { type: "button", class: "course-cut course-plain", title: token, "data-testid": `word-${place}` },
        token,
      );
      on(view, button, "focus", () => view.send({ word: place }));
      on(view, button, "click", () => view.send({ word: place }));
      return button;
    });
    walkAlong(wordButtons, (word) => view.send({ word }));
    const rows = wordButtons.map((button, place) => {
      const cells = tokens.map(() => make("td"));
      const row = make("tr", { "data-testid": `row-${place}` }, make("th", { scope: "row" }, button), ...cells);
      on(view, row, "pointerenter", () => view.send({ word: place }));
      return row;
    });
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td", {}, words.corner), ...heads)),
      make("tbody", {}, ...rows),
    );
    if (hadFocus) wordButtons[chosenWord()].focus();
  }

  function drawTable({ heads, weights }) {
    write(
      caption,
      words.large.replace("{name}", () => heads[chosenHead()]),
    );
    wordButtons.forEach((button, place) => {
      const chosen = place === chosenWord();
      fill(button, { "aria-pressed": String(chosen), tabindex: chosen ? 0 : -1 });
      button.closest("tr").classList.toggle("hg-chosen", chosen);
    });
    if (inTable[0] === painted && inTable[1] === chosenHead()) return;
    inTable = [painted, chosenHead()];
    const dense = wordButtons.length > DENSE;
    wordButtons.forEach((button, place) => {
      const row = button.closest("tr");
      row.querySelectorAll("td").forEach((cell, j) => {
        const weight = weights[chosenHead()][place][j];
        cell.style.backgroundColor = shade(weight);
        cell.style.color = weight > 0.5 ? "#fff" : "var(--course-figure-ink)";
        // Among many words the numbers are left to the lines beside, and to screen readers.
        if (dense) fill(cell, { "aria-label": number(weight) });
        else write(cell, number(weight));
      });
    });
  }

  function buildLines({ words: tokens }) {
    const y = (place) => 22 + place * STEP;
    const shown = (token) => ([...token].length > 6 ? `${[...token].slice(0, 5).join("")}…` : token);
    const name = (token, place, x, look) =>
      svg("text", { x, y: y(place), "dominant-baseline": "central", ...look }, shown(token));
    fill(
      lines,
      { viewBox: `0 0 360 ${tokens.length * STEP + 12}` },
      ...tokens.map((_, place) => svg("line", { class: "hg-line", x1: 114, x2: 197, y2: y(place) })),
      ...tokens.map((token, place) => name(token, place, 106, { "text-anchor": "end" })),
      ...tokens.map((_, place) => name("", place, 208)),
      ...tokens.map((token, place) => name(token, place, 255, { class: "hg-key" })),
    );
  }

  function drawLines({ words: tokens, weights }) {
    const word = chosenWord();
    const row = weights[chosenHead()][word];
    write(
      lineCaption,
      words.look.replace("{word}", () => tokens[word]),
    );
    fill(lines, { "aria-label": model.get("summary") });
    const part = (kind, place) => lines.children[kind * tokens.length + place];
    row.forEach((weight, place) => {
      const look = { "stroke-width": 0.6 + 9 * weight, opacity: 0.12 + 0.88 * weight };
      fill(part(0, place), { y1: 22 + word * STEP, ...look });
      fill(part(1, place), { class: place === word ? "hg-query" : "hg-pale" });
      write(part(2, place), number(weight));
    });
  }

  function buildLosses({ words: tokens, lost }) {
    if (lost === null) return;
    _lossPanel ??= panel(
      view,
      words.lost,
      make("table", { class: "course-fixed hg-losses", "data-testid": "losses" }, losses),
    );
    losses.replaceChildren(
      ...tokens.map((token) =>
        make(
          "tr",
          {},
          make("th", { scope: "row", class: "course-cut", title: token }, token),
          make(
            "td",
            {},
            make(
              "div",
              { class: "course-together" },
              make("span", { class: "course-bar hg-bar", "aria-hidden": "true" }),
              make("span"),
            ),
          ),
        ),
      ),
    );
  }

  function drawLosses({ lost }) {
    lost?.forEach((share, place) => {
      const [bar, shown] = losses.children[place].querySelectorAll("div > span");
      bar.style.setProperty("--share", Math.min(share, 1));
      write(shown, `${number(100 * share, 0)} %`);
    });
  }

  function shade(weight) {
    return `rgb(${blend(constants.palette, weight).join(", ")})`;
  }
});
