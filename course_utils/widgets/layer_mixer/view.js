// Left a slider for each layer with its share, and below the accuracy of mixes; right a word and its neighbours.

import { courseWidget, dense, each, fill, filled, make, on, panel, reveal, write } from "../common.js";
import { choice, choose, walk } from "../controls.js";

const STEP = 0.05;

export default courseWidget((view) => {
  const { model, words, stage } = view;
  dense(view);
  stage.classList.add("course-halves");
  const left = make("div", { class: "course-side" });
  const right = make("div", { class: "course-side" });
  stage.append(left, right);
  const drawShares = buildShares();
  const drawMixes = buildMixes();
  const drawWords = buildWords();
  const drawNeighbours = buildNeighbours();

  return (picture) => {
    drawShares(picture.shares);
    drawMixes(picture);
    drawWords(picture);
    drawNeighbours(picture.neighbours);
  };

  function within(node, title, ...children) {
    const made = panel({ stage: node }, title, ...children);
    made.classList.add("course-broad");
    return made;
  }

  // --- Weights and shares

  function buildShares() {
    const list = make("div", { class: "lx-layers", "data-testid": "layers" });
    within(left, words.weights, list);
    let shares = [];
    view.onChange(show); // a slider follows the hand before its picture comes
    return (found) => {
      shares = found;
      each(list, shares, layer, (row, { share, shown }) => {
        row.style.setProperty("--share", share);
        write(row.lastChild, shown);
      });
      show();
    };

    function layer(number) {
      const input = make("input", { type: "range", min: 0, max: 1, step: STEP, "data-testid": `weight-${number}` });
      fill(input, { "aria-label": words.weight.replace("{number}", number) });
      on(view, input, "input", () => {
        const weight = Number(input.value);
        view.send({ weights: model.get("weights").map((old, place) => (place === number ? weight : old)) });
      });
      const name = number ? words.layer_name.replace("{number}", number) : words.embeddings_name;
      const bar = make("span", { class: "course-track lx-track", "aria-hidden": "true" }, make("i"));
      return make("div", { class: "lx-layer" }, make("span", {}, name), input, bar, make("span"));
    }

    function show() {
      const weights = model.get("weights");
      [...list.children].forEach((row, number) => {
        const [, input] = row.children;
        input.value = weights[number];
        const facts = { weight: weights[number].toFixed(2), share: shares[number].shown };
        fill(input, { "aria-valuetext": filled(words.value, facts) });
      });
    }
  }

  // --- How well a task is done with each

  function buildMixes() {
    const list = make("ul", { class: "lx-mixes", role: "list", "data-testid": "mixes" });
    const now = make("div", { class: "lx-mix lx-now", "data-testid": "now" }, ...parts(make("b", {}, words.now)));
    within(left, words.mixes, now, list);
    let mixes = [];
    return (picture) => {
      mixes = picture.mixes;
      drawMix(now, picture.now);
      each(list, mixes, mix, (row, { name, chosen, ...found }) => {
        const [take] = row.children;
        write(take, name);
        fill(take, { "aria-pressed": String(chosen), title: name });
        drawMix(row, found);
      });
    };

    function mix(number) {
      const take = make("button", { type: "button", class: "course-cut", "data-testid": `mix-${number}` });
      on(view, take, "click", () => view.send({ weights: [...mixes[number].weights] }));
      return make("li", { class: "lx-mix" }, ...parts(take));
    }
  }

  function parts(name) {
    return [name, make("span", { class: "course-track lx-track", "aria-hidden": "true" }, make("i")), make("span")];
  }

  function drawMix(row, { accuracy, shown }) {
    row.style.setProperty("--share", accuracy);
    write(row.lastChild, shown);
  }

  // --- A word in its sentence

  function buildWords() {
    const sentences = model.get("choices").map((sentence, number) => [number, sentence]);
    const boxes = make("div", { class: "lx-boxes" });
    right.append(boxes);
    choice(view, "sentence", { label: words.sentence, options: sentences, into: boxes });
    const list = make("div", {
      class: "course-flow lx-words",
      role: "group",
      "aria-label": words.words,
      "data-testid": "words",
    });
    boxes.append(list);
    let count = 0;
    return (picture) => {
      count = picture.words.length;
      each(list, picture.words, word, (node, name) => {
        write(node, name);
      });
      choose(list.children, picture.word);
      reveal(list, list.children[picture.word]);
    };

    function word(number) {
      const node = make("button", { type: "button", "data-testid": `word-${number}` });
      const go = (to) => {
        view.send({ word: to });
        list.children[to].focus();
      };
      on(view, node, "click", () => go(number));
      walk(view, node, number, { last: () => count - 1, go, arrows: "Left Right" });
      return node;
    }
  }

  function buildNeighbours() {
    const list = make("ol", { class: "lx-neighbours", role: "list", "data-testid": "neighbours" });
    within(right, words.neighbours, list);
    let neighbours = [];
    return (found) => {
      neighbours = found;
      each(list, neighbours, neighbour, (item, { before, name, after, shown }) => {
        const [cosine, context] = item.firstChild.children;
        write(cosine, shown);
        [before, name, after].forEach((text, at) => {
          write(context.children[at], text);
        });
        fill(item.firstChild, { title: [before, name, after].filter(Boolean).join(" ") });
      });
    };

    function neighbour(number) {
      const context = make("span", { class: "lx-context" }, make("span"), make("mark"), make("span"));
      const go = make("button", { type: "button", "data-testid": `neighbour-${number}` }, make("span"), context);
      on(view, go, "click", () => {
        const { sentence, word } = neighbours[number];
        view.send({ sentence, word });
      });
      return make("li", {}, go);
    }
  }
});
