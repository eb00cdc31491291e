// A line chart over the layers. It is a picture only: each view sets a table with its numbers beside it.

import { range } from "./measures.mjs";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 260, 46, 14, 14, 40];

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * lines: [{label, values, style}], style being "main", "second" or "plain"; band: {low, high, label} or null;
 * notes: sentences that stand below the picture.
 */
export function chart({ title, lines, band, layer, notes = [] }) {
  const layers = lines[0].values.length;
  const every = [...lines.flatMap((line) => line.values), ...(band ? [...band.low, ...band.high] : [])];
  const bottom = Math.min(0, Math.floor(Math.min(...every) * 5) / 5);
  const x = (at) => LEFT + ((WIDTH - LEFT - RIGHT) * at) / (layers - 1);
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - value)) / (1 - bottom);
  const path = (values) => values.map((value, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");

  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "live-chart" });
  for (let value = bottom; value < 1.01; value += 0.2) {
    svg.append(
      shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "live-grid" }),
      shape("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, Math.abs(value) < 0.01 ? "0" : value.toFixed(1)),
    );
  }
  svg.append(shape("line", { x1: x(layer), x2: x(layer), y1: TOP, y2: HEIGHT - BOTTOM, class: "live-now" }));
  if (band) {
    const back = range(layers).reverse().map((at) => `L${x(at).toFixed(1)} ${y(band.low[at]).toFixed(1)}`).join("");
    svg.append(shape("path", { d: `${path(band.high)}${back}Z`, class: "live-band" }));
  }
  for (const { values, style } of lines) {
    svg.append(shape("path", { d: path(values), class: `live-line live-${style}` }));
    values.forEach((value, at) => svg.append(
      shape("circle", { cx: x(at), cy: y(value), r: at === layer ? 6 : 3.5, class: `live-dot live-${style}` })));
  }
  range(layers).forEach((at) => svg.append(
    shape("text", { x: x(at), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle", class: at === layer ? "live-bold" : "" }, at)));
  svg.append(shape("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "layer"));

  const legend = document.createElement("ul");
  legend.className = "live-legend";
  for (const { label, style } of lines) legend.append(key(label, style));
  if (band) legend.append(key(band.label, "band-key"));
  const figure = document.createElement("figure");
  figure.className = "live-figure";
  figure.append(svg, legend, ...notes.map((note) => {
    const below = document.createElement("p");
    below.className = "live-note";
    below.textContent = note;
    return below;
  }));
  return figure;
}

function key(label, style) {
  const item = document.createElement("li");
  const mark = document.createElement("span");
  mark.className = `live-key live-key-${style}`;
  mark.setAttribute("aria-hidden", "true");
  item.append(mark, label);
  return item;
}
