// What AttentionExplorer paints pixel by pixel: the maps of the heads, and the faint lines behind the chosen token's.

import { make } from "../common.js";
import { blend } from "../drawing.js";
import { ONE } from "./numbers.js";

export const LEVELS = 20; // of the thickness of a token's lines

// A palette as 256 pixels.
export const pixelsOf = (palette) =>
  Uint32Array.from({ length: 256 }, (_, level) => {
    const [red, green, blue] = blend(palette, level / 255);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });

// The map of one head (layer · heads + head) of `count` tokens in these 256 colours: a pixel is the largest of
// `pool` × `pool` weights. What is below `least` is left out.
export function paintMap(canvas, steps, tile, count, { colors, least = 0, pool = 1 }) {
  const size = Math.ceil(count / pool);
  if (canvas.width !== size || canvas.height !== size) [canvas.width, canvas.height] = [size, size];
  const largest = new Int32Array(size * size).fill(-1);
  for (let i = 0, at = tile * count * count; i < count; i++) {
    const row = Math.floor(i / pool) * size;
    for (let j = 0; j < count; j++, at++) {
      const pixel = row + Math.floor(j / pool);
      if (steps[at] >= least && steps[at] > largest[pixel]) largest[pixel] = steps[at];
    }
  }
  const image = new ImageData(size, size);
  const pixels = new Uint32Array(image.data.buffer);
  largest.forEach((weight, pixel) => {
    pixels[pixel] = weight < 0 ? 0 : colors[weight >> 8];
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// The maps of all heads in one canvas, layers below each other.
export function paintMaps(steps, layers, heads, count, { colors, pool }) {
  const size = Math.ceil(count / pool);
  const [all, one] = [make("canvas", { width: heads * size, height: layers * size }), make("canvas")];
  const context = all.getContext("2d");
  for (let tile = 0; tile < layers * heads; tile++) {
    paintMap(one, steps, tile, count, { colors, pool });
    context.drawImage(one, (tile % heads) * size, Math.floor(tile / heads) * size);
  }
  return all;
}

// These maps each to its place [left, top, right, bottom] on a canvas of [width, height] pixels, with round corners.
export function putMaps(canvas, all, [width, height], layers, heads, places, radius) {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const [wide, tall] = [all.width / heads, all.height / layers];
  context.imageSmoothingEnabled = false;
  context.beginPath();
  places.forEach(([left, top, right, bottom], tile) => {
    const place = [left, top, right - left, bottom - top];
    context.drawImage(all, (tile % heads) * wide, Math.floor(tile / heads) * tall, wide, tall, ...place);
    context.roundRect(...place, radius);
  });
  context.globalCompositeOperation = "destination-in";
  context.fill();
}

// The colour of the faint lines, seen on white and on black, by how much ink there is (in 1/128).
const INKS = Uint32Array.from(
  { length: 640 },
  (_, ink) => ((Math.round(255 * (1 - Math.exp(-(ink + 0.5) / 128))) << 24) | (0xb0 << 16) | (0x93 << 8) | 0x7c) >>> 0,
);

// How far a line has come, 0 … 1, at each of `width` + 1 places: the curve C45 0 55 1 100 1 that the paths have, too.
function eased(width) {
  const found = new Float32Array(width + 1);
  for (let x = 0, part = 0; x <= width; x++) {
    const across = (t) => 1.35 * t * (1 - t) ** 2 + 1.65 * t * t * (1 - t) + t ** 3;
    while (part < 1 && across(part) < x / width) part += 1 / (8 * width);
    found[x] = part * part * (3 - 2 * part);
  }
  return found;
}

export const thickness = (weight) => 0.7 + 6 * weight; // of a line, in pixels
export const levelOf = (steps) => (steps * LEVELS) >> 16;

// All lines of a head, thousands for a long sentence: too many for strokes. In each column of pixels a line only marks
// where its ink begins and where it ends; running sums then give the ink everywhere.
export function drawLines(canvas, count, map, least, dense) {
  const { width, height } = canvas;
  if (!width || !height) return;
  const tall = height + 2;
  const ink = new Float32Array(width * tall);
  const rise = eased(width);
  for (let i = 0, at = 0; i < count; i++) {
    const from = ((i + 0.5) / count) * height;
    for (let j = 0; j < count; j++, at++) {
      if (map[at] < least) continue;
      const weight = map[at] / ONE;
      const way = ((j - i) / count) * height;
      const thick = thickness(weight) * dense;
      const opacity = -Math.log(0.92 - 0.6 * weight); // adds up as layers of ink do
      for (let x = 0, y = from, column = 0; x < width; x++, column += tall) {
        const next = from + way * rise[x + 1];
        const steep = Math.abs(next - y);
        const amount = opacity * Math.min(1, (thick * Math.sqrt(1 + steep * steep)) / (steep + thick));
        const low = Math.min(y, next) - thick / 2;
        const high = low + steep + thick;
        const [top, bottom] = [low | 0, high | 0];
        ink[column + top] += amount * (1 - low + top);
        ink[column + top + 1] += amount * (low - top);
        ink[column + bottom] -= amount * (1 - high + bottom);
        ink[column + bottom + 1] -= amount * (high - bottom);
        y = next;
      }
    }
  }
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let x = 0; x < width; x++) {
    for (let y = 0, sum = 0; y < height; y++) {
      sum += ink[x * tall + y];
      if (sum > 0.002) pixels[y * width + x] = INKS[Math.min(INKS.length - 1, Math.floor(sum * 128))];
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}
