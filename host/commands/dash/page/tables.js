// SPDX-License-Identifier: Apache-2.0
// The views without curves: the table of runs, where the time goes, and one run.
import {$, make, counted, number, short, duration, bytes, plain, score, how_to} from "./text.js";

// A table that its header sorts.
let sorted_by = null;
let upwards = true;

export function draw_table(state) {
  const columns = [
    ["run", (run) => run.name],
    ["state", (run) => run.problem ? "damaged" : run.state],
    ["frames", (run) => run.latest.frames ?? run.position],
    ["score", (run) => score(run)[1]],
    ["time", (run) => run.latest["time/time_elapsed"]],
    ...state.options().map(([key, i]) => [key, (run) => plain(run.values[i])]),
  ];
  const runs = [...state.shown()];
  const column = columns.find(([name]) => name === sorted_by);
  if (column) {
    const value = (run) => { const v = column[1](run); return v !== "" && isFinite(v) ? Number(v) : v; };
    const rank = (v) => (v == null ? 2 : typeof v === "number" ? 0 : 1);
    runs.sort((a, b) => {
      const [p, q] = [value(a), value(b)];
      const order = rank(p) - rank(q) || (typeof p === "number" ? p - q : String(p).localeCompare(String(q), "en", {numeric: true}));
      return upwards ? order : -order;
    });
  }
  const text = (name, value) => name === "frames" ? short(value) : name === "time" ? duration(value) : typeof value === "number" ? number(value) : value ?? "–";
  $("table").replaceChildren(
    make("p", {class: "note"}, state.differing.length ? `The runs differ in ${counted(state.differing.length, "key")} of their manifests.` : "The manifests of the runs are equal."),
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs and the options in which they differ"}, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(([name]) => make("th", {scope: "col", "aria-sort": name === sorted_by ? (upwards ? "ascending" : "descending") : "none"},
        make("button", {type: "button", onclick: () => { upwards = sorted_by === name ? !upwards : true; sorted_by = name; draw_table(state); }}, name))))),
      make("tbody", {}, ...runs.map((run) => make("tr", {"data-state": run.state}, ...columns.map(([name, of], i) =>
        make(i ? "td" : "th", {scope: i ? null : "row", class: typeof of(run) === "number" ? "number" : null},
          i ? text(name, of(run)) : make("button", {type: "button", class: "name", onclick: () => { state.select(run.id); state.open("run"); }},
            make("i", {class: "swatch", style: {background: state.line_of(run).colour}}), run.name)))))))));
}

const PARTS = ["policy", "env", "transforms", "lanes", "sampling", "gathering", "preparing", "updating", "stepping", "evaluating", "recording", "saving", "other"];
const COLOURS = ["#4e79a7", "#59a14f", "#8cd17d", "#b6992d", "#f1ce63", "#499894", "#86bcb6", "#e15759", "#ff9d9a", "#b07aa1", "#d37295", "#9d7660", "#79706e"];

function parts_of(run) {
  const all = PARTS.map((name, i) => ({name, colour: COLOURS[i], seconds: run.latest[`time/${name}`]})).filter((part) => part.seconds > 0);
  const sum = all.reduce((total, part) => total + part.seconds, 0);
  return all.map((part) => ({...part, share: part.seconds / sum}));
}

function time_bar(run) {
  const parts = parts_of(run);
  return make("div", {class: "timebar", role: "img", "aria-label": parts.map((part) => `${part.name} ${(100 * part.share).toFixed(0)} %`).join(", ")},
    ...parts.map((part) => make("i", {title: `${part.name}: ${(100 * part.share).toFixed(1)} %`, style: {width: `${100 * part.share}%`, background: part.colour}})));
}

export function draw_time(state) {
  const runs = state.shown();
  const profiled = runs.filter((run) => parts_of(run).length);
  if (!profiled.length) {
    return $("time").replaceChildren(...how_to("None of these runs measures where its time goes. Start one that does, or let its manifest say so:",
      "tenon run MANIFEST --profile\n\n[log]\nprofile = true"));
  }
  const used = PARTS.map((name, i) => [name, COLOURS[i]]).filter(([name]) => profiled.some((run) => run.latest[`time/${name}`] > 0));
  $("time").replaceChildren(
    make("p", {class: "note"}, "Where each run spent the time between its latest two records."),
    make("ul", {class: "keys"}, ...used.map(([name, colour]) => make("li", {}, make("i", {class: "swatch", style: {background: colour}}), name))),
    make("div", {class: "bars"}, ...profiled.flatMap((run) => [make("span", {class: "name"}, run.name), time_bar(run),
      make("span", {class: "note"}, `${short(run.latest["time/fps"])} frames/s`)])));
}

let details = {};

export function forget_details() { details = {}; }

export async function draw_run(state, ask) {
  const run = state.selected();
  const panel = $("run");
  if (!run) return panel.replaceChildren(make("p", {class: "note"}, "There are no runs."));
  const [name, value] = score(run);
  const facts = [["state", run.problem ? `damaged: ${run.problem}` : run.state], ["folder", run.folder],
    [run.unit, `${short(run.position)} of ${short(run.length)}`], ["speed", run.per_second > 0 ? `${short(run.per_second)} ${run.unit}/s` : "–"],
    ["left", run.seconds_left > 0 ? duration(run.seconds_left) : "–"], [name || "score", number(value)], ["records", short(run.records)],
    ["memory", bytes(run.memory)], ["last record", new Date(1000 * run.changed).toLocaleString()]];
  const known = details[run.id];
  panel.dataset.run = run.id;
  const kept = panel.querySelector(".late");
  panel.replaceChildren(make("h2", {}, make("i", {class: "swatch", style: {background: state.line_of(run).colour}}), run.name),
    make("dl", {class: "facts"}, ...facts.flatMap(([key, text]) => [make("dt", {}, key), make("dd", {}, text)])),
    parts_of(run).length ? make("div", {}, make("h3", {}, "where the time goes"), time_bar(run),
      make("ul", {class: "keys"}, ...parts_of(run).map((part) => make("li", {}, make("i", {class: "swatch", style: {background: part.colour}}), `${part.name} ${(100 * part.share).toFixed(1)} %`)))) : "",
    known && kept?.dataset.of === `${run.id} ${known.records}` ? kept : make("div", {class: "late"}));
  if (known?.records === run.records) {
    if (!panel.querySelector(".late").dataset.of) draw_late(panel, run, known);
    return;
  }
  const answer = await ask("/api/run", {id: run.id});
  if (!answer) return;
  details[run.id] = {...answer, records: run.records};
  if (panel.dataset.run === run.id) draw_late(panel, run, details[run.id]);
}

// What the server has to read first.
function draw_late(panel, run, known) {
  const holder = panel.querySelector(".late");
  const first = !holder.dataset.of;
  const open = new Set([...holder.querySelectorAll("details[open]")].map((each) => each.dataset.part));
  const part = (key, title, standard, ...content) => make("details", {"data-part": key, open: first ? standard : open.has(key)}, make("summary", {}, title), ...content);
  holder.dataset.of = `${run.id} ${known.records}`;
  const source = (video) => `/api/video?${new URLSearchParams({id: run.id, name: video.name})}`;
  holder.replaceChildren(
    part("videos", `videos (${known.videos.length})`, known.videos.length > 0, known.videos.length ? make("div", {class: "videos"}, ...known.videos.map((video) => make("figure", {},
      video.type.startsWith("image/") ? make("img", {src: source(video), alt: `episode ${video.name}`, loading: "lazy"}) :
        make("video", {src: source(video), controls: true, loop: true, muted: true, preload: "metadata"}), make("figcaption", {}, video.name)))) :
      make("p", {class: "note"}, `Videos in the run's folder appear here: tenon play ${run.folder} --video ${run.folder}/best.png`)),
    ...known.logs.map((log) => part(`log ${log.name}`, log.name, true, log_lines(log.text))),
    part("manifest", "manifest", false, make("table", {class: "manifest"}, make("tbody", {}, ...Object.entries(known.manifest).map(([key, text]) =>
      make("tr", {}, make("th", {scope: "row"}, key), make("td", {}, text)))))));
}

function log_lines(text) {
  const pre = make("pre", {tabindex: 0, class: "log"});
  for (const line of text.split(/\r?\n|\r/)) {
    const kind = /^error|\berror:/i.test(line) ? "error" : /^warning|\bwarning:/i.test(line) ? "warning" : null;
    pre.append(make("span", {class: kind}, line + "\n"));
  }
  return pre;
}
