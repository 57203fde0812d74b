// The numbers of AttentionExplorer and what it says of them: the same integers, the same rounding and the same sentence
// as in side.py and widget.py. A browser test holds the two together.

import { filled } from "../common.js";

export const ONE = 65535; // a weight of 1

export const asSteps = (weight) => Math.floor(weight * ONE + 0.5);
const hundredths = (steps) => Math.floor((200 * steps + ONE) / (2 * ONE));
export const asNumber = (value) =>
  `${value < 0 ? "−" : ""}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, "0")}`;
export const asWeight = (steps) => asNumber(hundredths(steps));
export const ranked = (values) =>
  Array.from(values, (_, place) => place).sort((a, b) => values[b] - values[a] || a - b);

export function ranking(picture, sort) {
  return picture.measures.find(({ name }) => name === sort);
}

// What is seen, in words: the same as _say() in widget.py, letter for letter.
export function say(words, picture, weights, now) {
  const measure = ranking(picture, now.sort);
  const parts = [filled(words.say_head, now)];
  if (measure) {
    parts.push(
      filled(words.say_rank, {
        measure: measure.shown,
        value: asNumber(measure.values[now.tile]),
        rank: measure.order.indexOf(now.tile) + 1,
        count: measure.order.length,
      }),
    );
  }
  picture.sides.forEach((own, index) => {
    if (picture.sides.length > 1) parts.push(filled(words.say_side, { number: index + 1 }));
    if (now.places[index] < 0)
      parts.push(filled(words.say_absent, { token: picture.sides[now.here].names[now.token] }));
    parts.push(...saySide(words, own.names, weights[index].steps, now, now.places[index]));
  });
  return [...parts, ...picture.unread].join(" ");
}

function saySide(words, names, steps, now, place) {
  const count = names.length;
  const map = steps.subarray(now.tile * count * count, (now.tile + 1) * count * count);
  const best = (values) =>
    ranked(values)
      .slice(0, now.told)
      .map((at) => filled(words.say_item, { token: names[at], weight: asWeight(values[at]) }))
      .join(", ");
  const parts = [];
  if (place >= 0) {
    const looks = map.subarray(place * count, (place + 1) * count);
    const alike = count > 1 && hundredths(Math.max(...looks)) === hundredths(Math.min(...looks));
    parts.push(
      alike
        ? filled(words.say_even, { token: names[place], weight: asWeight(looks[0]) })
        : filled(words.say_keys, { token: names[place], keys: best(looks) }),
    );
    const lookedAt = Uint16Array.from({ length: count }, (_, i) => map[i * count + place]);
    parts.push(filled(words.say_queries, { token: names[place], queries: best(lookedAt) }));
  }
  const least = Math.max(now.least, 1);
  const lines = map.reduce((sum, weight) => sum + (weight >= least), 0);
  parts.push(filled(words.say_lines, { threshold: asNumber(Math.floor(100 * now.threshold + 0.5)), count: lines }));
  return parts;
}
