// SPDX-License-Identifier: Apache-2.0
// The state of the page, its settings and keys, and the connection to the server.
import {$, make, counted, plain} from "./text.js";
import {colour_of} from "./colours.js";
import {Curves} from "./curves.js";
import {RunList} from "./runs.js";
import {Comparison} from "./compare.js";
import {Histograms} from "./histograms.js";
import {draw_table, draw_time, draw_run, forget_details} from "./tables.js";
import {draw_wiring} from "./wiring.js";

const TABS = ["curves", "compare", "histograms", "table", "time", "wiring", "run"];
const AXES = ["frames", "updates", "time"];

const state = {
  runs: [], metrics: [], differing: [], lines: new Map(), seeds: new Set(),
  settings: {axis: "frames", group: "seeds", compared: "", groups: "", smoothing: 0, log: false, metrics: "", filter: "", hidden: [], selected: "", unfolded: false, theme: "system", tab: "curves",
    ...JSON.parse(localStorage.getItem("tenon dash") || "{}")},

  // The runs that pass the filter: every word is in the name, the state or a differing option.
  listed() {
    const words = this.settings.filter.toLowerCase().split(/\s+/).filter(Boolean);
    return this.runs.filter((run) => {
      const text = [run.name, run.state, ...run.values.map((value, i) => `${this.differing[i]}=${plain(value)}`)].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  },
  // The differing keys with their places; first those that all runs have, which are comparable.
  options() {
    const all = this.differing.map((key, i) => [key, i, this.runs.some((run) => run.values[i] == null)]);
    return [...all.filter(([, , missing]) => !missing), ...all.filter(([, , missing]) => missing)];
  },
  selected() { return this.runs.find((run) => run.id === this.settings.selected) || this.listed()[0] || this.runs[0]; },
  colour(i) { return colour_of(i, is_dark()); },
  shown() { return this.listed().filter((run) => !this.settings.hidden.includes(run.id)); },
  // Group, name and colour of the line that shows the run; a line of only this run may be emphasised.
  line_of(run) { return this.lines.get(run.id); },
  find_lines() {
    const chosen = this.selected();
    const places = new Map();
    this.lines = new Map(this.runs.map((run) => {
      const group = this.group_of(run);
      const key = group ?? run.id;
      if (!places.has(key)) places.set(key, places.size);
      const name = group === null ? run.name : group || "(none)";
      return [run.id, {key, name, colour: this.colour(places.get(key)), selected: group === null && run === chosen}];
    }));
  },
  // The name of the group whose mean shows the run, or null.
  group_of(run) {
    const {group} = this.settings;
    if (group === "seeds") return this.seeds.has(folder_of(run)) ? folder_of(run) : null;
    if (group === "folder") return folder_of(run);
    if (group === "name") return run.name.replace(/[-_./]*\d+$/, "");
    const i = this.differing.indexOf(group.slice(4));
    return group === "" ? null : i < 0 ? "" : plain(run.values[i]);
  },
  toggle(id) { this.settings.hidden = this.settings.hidden.includes(id) ? this.settings.hidden.filter((each) => each !== id) : [...this.settings.hidden, id]; draw(); },
  select(id) { this.settings.selected = id; draw(); list.reveal(id); },
  show_only(id) { this.settings.hidden = this.runs.map((run) => run.id).filter((each) => each !== id); draw(); },
  open(tab) { this.settings.tab = tab; draw(); },
};

const folder_of = (run) => run.name.includes("/") ? run.name.slice(0, run.name.lastIndexOf("/")) : run.group;

// The folders with several runs that differ in nothing but their seeds.
function folders_of_seeds({runs, differing, settings}) {
  const places = settings.map((key) => differing.indexOf(key));
  const folders = new Map();
  for (const run of runs) {
    const values = JSON.stringify(places.map((i) => run.values[i]));
    folders.set(folder_of(run), [...(folders.get(folder_of(run)) || []), values]);
  }
  return new Set([...folders].filter(([, all]) => all.length > 1 && new Set(all).size === 1).map(([name]) => name));
}

const is_dark = () => state.settings.theme === "dark" || (state.settings.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);

async function ask(path, parameters = {}) {
  try {
    const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`);
    if (answer.status === 401) say("refused", "open the address that the server printed");
    return answer.ok ? await answer.json() : null;
  } catch { return null; }
}

const curves = new Curves(state, ask);
const comparison = new Comparison(state, ask);
const histograms = new Histograms(state, ask);
const list = new RunList(state);

function say(kind, text) {
  $("live").dataset.state = kind;
  $("live").textContent = text;
}

// Draws what is visible; called after every change.
function draw() {
  const {settings} = state;
  localStorage.setItem("tenon dash", JSON.stringify(settings));
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
  $("theme").textContent = {system: "◐", dark: "☾", light: "☀"}[settings.theme];
  $("theme").setAttribute("aria-label", `theme: ${settings.theme}`);
  $("axis").value = settings.axis;
  $("smoothing").value = settings.smoothing;
  $("smoothed").textContent = Number(settings.smoothing).toFixed(2);
  $("log").checked = settings.log;
  draw_groups();
  state.find_lines();
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.dataset.tab === settings.tab;
    if (selected && tab.getAttribute("aria-selected") !== "true") show_tab(tab);
    tab.setAttribute("aria-selected", selected);
  }
  for (const tab of TABS) $(tab).hidden = tab !== settings.tab;
  list.update();
  if (settings.tab === "curves") curves.update();
  if (settings.tab === "table") draw_table(state);
  if (settings.tab === "time") draw_time(state);
  if (settings.tab === "compare") comparison.update();
  if (settings.tab === "histograms") histograms.update();
  if (settings.tab === "wiring") draw_wiring(state, ask);
  if (settings.tab === "run") draw_run(state, ask);
}

// On a phone the list of views is wider than the page.
function show_tab(tab) {
  const nav = tab.parentElement;
  nav.scrollLeft = tab.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2;
}

// The keys by which runs can be grouped; a key that differs between all runs makes no groups.
function groups() {
  const by_key = state.options().filter(([, i, missing]) => !missing && new Set(state.runs.map((run) => run.values[i])).size < state.runs.length)
    .slice(0, 40).map(([key]) => [`key ${key}`, `mean by ${key}`]);
  return [["seeds", "mean over seeds"], ["", "each run"], ["folder", "mean by folder"], ["name", "mean by name"], ...by_key];
}

function draw_groups() {
  const all = groups();
  if (!all.some(([value]) => value === state.settings.group)) state.settings.group = "seeds";
  const text = JSON.stringify(all);
  if ($("group").dataset.all !== text) {
    $("group").dataset.all = text;
    $("group").replaceChildren(...all.map(([value, name]) => make("option", {value}, name)));
  }
  $("group").value = state.settings.group;
}

async function read_runs() {
  const answer = await ask("/api/runs");
  if (!answer) return;
  Object.assign(state, {runs: answer.runs, metrics: answer.metrics, differing: answer.differing, seeds: folders_of_seeds(answer)});
  const running = answer.runs.filter((run) => run.state === "running").length;
  say("live", answer.unread ? `reading ${answer.unread} more runs` : `live · ${counted(answer.runs.length, "run")}, ${running} running`);
  $("load").textContent = `load ${answer.load.toFixed(1)} of ${answer.processors} cores`;
  document.title = running ? `(${running}) tenon dash` : "tenon dash";
  draw();
}

// The browser connects again by itself if the server goes and comes back, unless it was refused.
function follow() {
  const events = new EventSource("/api/events");
  events.addEventListener("runs", read_runs);
  events.addEventListener("open", () => { forget_details(); });
  events.addEventListener("error", () => {
    say("lost", "no connection; trying again");
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
}

const set = (key, value) => { state.settings[key] = value; draw(); };
const next = (all, value) => all[(all.indexOf(value) + 1) % all.length];

// Plots and canvases take their colours from the style sheet when they are drawn.
function restyle() {
  for (const view of [curves, comparison, histograms]) view.restyle();
}

function next_theme() {
  state.settings.theme = next(["system", "dark", "light"], state.settings.theme);
  draw();
  restyle();
}

function move(step) {
  const all = state.listed();
  const at = all.indexOf(state.selected());
  const run = all[Math.min(all.length - 1, Math.max(0, at + step))];
  if (run) state.select(run.id);
}

function to_filter() {
  if (!$("filter").offsetParent) set("unfolded", true);
  $("filter").focus();
}

const KEYS = {
  ...Object.fromEntries(TABS.map((tab, i) => [i + 1, () => state.open(tab)])),
  j: () => move(1), k: () => move(-1), " ": () => state.selected() && state.toggle(state.selected().id),
  o: () => state.selected() && state.show_only(state.selected().id), a: () => set("hidden", []),
  Enter: () => state.selected() && state.open("run"), x: () => set("axis", next(AXES, state.settings.axis)),
  g: () => set("group", next(groups().map(([value]) => value), state.settings.group)),
  "+": () => set("smoothing", Math.min(0.99, Number(state.settings.smoothing) + 0.05)),
  "-": () => set("smoothing", Math.max(0, Number(state.settings.smoothing) - 0.05)),
  "/": to_filter, m: () => { state.open("curves"); $("metrics").focus(); }, t: next_theme, "?": () => $("keys").showModal(),
};

addEventListener("keydown", (event) => {
  const inside = event.target.closest("input:not([type=checkbox]):not([type=range]), select, dialog[open]");
  if (event.key === "Escape" && inside) return event.target.blur();
  const pressing = (event.key === " " || event.key === "Enter") && event.target.closest("button, input, summary, a");
  if (inside || pressing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});

for (const id of ["axis", "group", "compared", "groups"]) $(id).addEventListener("change", () => set(id, $(id).value));
for (const id of ["filter", "metrics"]) {
  $(id).value = state.settings[id];
  $(id).addEventListener("input", () => set(id, $(id).value));
}
$("smoothing").addEventListener("input", () => set("smoothing", $("smoothing").value));
$("log").addEventListener("change", () => set("log", $("log").checked));
$("all").addEventListener("click", () => set("hidden", []));
$("none").addEventListener("click", () => set("hidden", state.runs.map((run) => run.id)));
$("fold").addEventListener("click", () => set("unfolded", !state.settings.unfolded));
$("theme").addEventListener("click", next_theme);
$("help").addEventListener("click", KEYS["?"]);
for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => state.open(tab.dataset.tab));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); restyle(); });
setInterval(() => ["run", "compare"].includes(state.settings.tab) && draw(), 5000);

draw();
follow();
