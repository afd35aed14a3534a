// SPDX-License-Identifier: Apache-2.0
// Elements and numbers in readable form. Names of runs and texts of logs may contain anything, so they only become text
// nodes.

export const $ = (id) => document.getElementById(id);

// make("p", {class: "note", onclick: f}, "text", child)
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// The same for pictures: make_svg("rect", {x: 0, width: 5})
export function make_svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// A table in a box that scrolls by itself. `rows`: lists of texts, numbers and elements; the first cell names the row.
export function make_table(label, header, rows) {
  const cell = (content, i) => make(i ? "td" : "th", {scope: i ? null : "row", class: typeof content === "number" ? "number" : null},
    typeof content === "number" ? number(content) : content ?? "–");
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, make("table", {},
    make("thead", {}, make("tr", {}, ...header.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

// For an empty view: how to fill it, with commands or lines to copy.
export const how_to = (sentence, lines) => [make("p", {class: "note"}, sentence), make("pre", {tabindex: 0}, lines)];

const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// 1234567 is "1.23 M": for axes and counts.
export function short(value) {
  if (value == null || !isFinite(value)) return "–";
  const size = Math.abs(value);
  for (const [unit, name] of UNITS) {
    if (size >= unit) return trimmed(value / unit, 3) + " " + name;
  }
  return trimmed(value, 4);
}

// Four digits, and an exponent only where it is needed.
export function number(value) {
  if (value == null || !isFinite(value)) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e7 || size < 1e-4) ? value.toExponential(2) : trimmed(value, size >= 1000 ? 6 : 4);
}

function trimmed(value, digits) {
  return String(Number(value.toPrecision(digits)));
}

export function duration(seconds) {
  if (!(seconds >= 0) || !isFinite(seconds)) return "–";
  if (seconds < 60) return trimmed(seconds, 2) + " s";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min " + Math.floor(seconds % 60) + " s";
  if (seconds < 172800) return Math.floor(seconds / 3600) + " h " + Math.floor((seconds % 3600) / 60) + " min";
  return Math.floor(seconds / 86400) + " days";
}

export function bytes(count) {
  return count > 0 ? short(count).replace(/ ?([kMGT]?)$/, " $1B") : "–";
}

// "ep_rew_mean" is "ep rew mean": lines may break between words.
export const spaced = (name) => name.replaceAll("_", " ");

export const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;

export const with_runs = (name, runs) => (runs > 1 ? `${name} (${counted(runs, "run")})` : name);

// The value of a manifest without the quotes of a string.
export const plain = (value) => (value == null ? "–" : value.replace(/^"(.*)"$/, "$1"));

// The number that says best how good a run is, with its name.
export function score(run) {
  for (const name of ["eval/mean_reward", "rollout/ep_rew_mean"]) {
    if (name in run.latest) return [name, run.latest[name]];
  }
  const other = Object.keys(run.latest).find((name) => /^eval\/.*mean_reward$/.test(name));
  if (other) return [other, run.latest[other]];
  return "train/loss" in run.latest ? ["train/loss", run.latest["train/loss"]] : ["", null];
}
