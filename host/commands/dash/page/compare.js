// SPDX-License-Identifier: Apache-2.0
// The view that compares: groups of the runs that are shown, with intervals over their seeds. All numbers are those of
// `tenon compare`; nothing is computed here.
import {$, make, make_svg, make_table, number, short, duration, with_runs} from "./text.js";
import {Plot, legend_of} from "./plot.js";

const PATIENCE = 15_000;  // before runs that grow are compared again
const MOST = 100;  // rows of values that only some groups have

const interval = (estimate) => ("low" in estimate ? `${number(estimate.low)} to ${number(estimate.high)}` : "–");
const last_parts = (folder) => folder.split("/").slice(-2).join("/");

export class Comparison {
  constructor(state, ask) {
    this.state = state;
    this.ask = ask;
    this.holder = make("div", {class: "plot"});
    this.plot = new Plot(this.holder);
    new ResizeObserver(() => this.answer && this.draw_curves(this.answer)).observe(this.holder);
  }

  async update() {
    this.fill_choices();
    const {settings} = this.state;
    const runs = this.state.shown();
    const choice = {runs: runs.map((run) => run.id).join(), metric: settings.compared, group: settings.groups};
    const grown = runs.map((run) => run.records + run.state).join();
    const same = JSON.stringify(choice) === this.choice;
    if (this.asking || (same && (grown === this.grown || Date.now() - this.asked < PATIENCE))) return;
    this.asking = true;
    this.choice = JSON.stringify(choice);
    this.grown = grown;
    this.asked = Date.now();
    $("comparing").textContent = "comparing …";
    const answer = await this.ask("/api/compare", choice);
    this.asking = false;
    $("comparing").textContent = "";
    if (!answer) {
      this.grown = "";  // asks again when it may
      return;
    }
    this.draw(answer);
    this.update();
  }

  fill_choices() {
    const {settings} = this.state;
    const keys = this.state.options().filter(([, , missing]) => !missing).map(([key]) => [key, `by ${key}`]);
    this.fill("groups", [["", "runs that differ in their seeds only"], ...keys]);
    const metrics = this.state.metrics.filter((name) => !/^(frames|time\/|train\/n_updates)/.test(name));
    this.fill("compared", [["", "evaluations, or training episodes"], ...metrics.map((name) => [name, name])]);
    for (const id of ["groups", "compared"]) $(id).value = settings[id];
  }

  fill(id, all) {
    if (!all.some(([value]) => value === this.state.settings[id])) this.state.settings[id] = "";
    const text = JSON.stringify(all);
    if ($(id).dataset.all === text) return;
    $(id).dataset.all = text;
    $(id).replaceChildren(...all.map(([value, name]) => make("option", {value}, name)));
  }

  draw(answer) {
    this.answer = answer.problem ? null : answer;
    if (answer.problem) {
      this.plot.clear();
      return $("comparison").replaceChildren(make("p", {class: "note"}, answer.problem));
    }
    const {groups, pairs, unit} = answer;
    const names = groups.map(({name}) => name);
    const known = $("comparison").querySelectorAll("details[open]");
    const open = new Set([...known].map((each) => each.dataset.part));
    const part = (key, title, ...content) => make("details", {"data-part": key, open: open.has(key)}, make("summary", {}, title), ...content);
    $("comparison").replaceChildren(
      make("h2", {}, `${answer.metric}, last value of each run`), this.table_of(groups, unit),
      make("h2", {}, `${answer.metric} over ${unit}: interquartile mean with its 95 % interval`),
      make("figure", {class: "panel wide"}, this.holder, make("ul", {class: "keys"},
        ...legend_of(groups.map(({name, runs}, i) => ({name, colour: this.state.colour(i), runs: runs.length}))))),
      ...(pairs.length ? [make("h2", {}, "which is better"), make_table("Probabilities of improvement", ["a run of", "beats one of", "probability", "95 %"],
        pairs.map(({x, y, probability}) => [this.named(x, names.indexOf(x)), this.named(y, names.indexOf(y)), probability.value, interval(probability)]))] : []),
      ...this.differences_of(answer, part),
      part("seeds", "each run", make_table("Runs with their scores", ["run", "group", "seed", "score", "at", unit, "time", "state"],
        groups.flatMap((group) => group.runs.map((run) => [last_parts(run.folder), group.name, run.seed, run.score, short(run.at), short(run[unit]), duration(run.seconds), run.state])))),
      ...(answer.notes.length ? [part("notes", `notes (${answer.notes.length})`, make("ul", {}, ...answer.notes.map((note) => make("li", {}, note))))] : []));
    this.draw_curves(answer);
  }

  // The name of the i-th group, which may be long: it breaks behind the parts of a key.
  named(name, i) {
    return make("span", {class: "group"}, make("i", {class: "swatch", style: {background: this.state.colour(i)}}),
      make("span", {}, ...name.split(/(?<=[=/])|(?<=\.)(?=\D)/).flatMap((part) => [part, make("wbr")])));
  }

  table_of(groups, unit) {
    const all = groups.flatMap((group) => [...group.runs.map((run) => run.score), group.iqm.low, group.iqm.high]).filter(Number.isFinite);
    const range = [Math.min(...all), Math.max(...all)];
    return make_table("Groups of runs", ["group", "runs", "each run, iqm and its interval", "iqm", "95\u00a0%", "median", "mean", "95\u00a0%", `${unit}/run`, "time/run"],
      groups.map((group, i) => [this.named(group.name, i), group.runs.length, spread(group, range, this.state.colour(i)), group.iqm.value, interval(group.iqm),
        group.median.value, group.mean.value, interval(group.mean), short(group[unit] / group.runs.length), duration(group.seconds / group.runs.length)]));
  }

  differences_of({groups, differences}, part) {
    const table = (label, rows) => make_table(label, ["key", ...groups.map(({name}, i) => this.named(name, i))], rows.map(({key, values}) => [key, ...values.map((value) => value || "–")]));
    const shared = differences.filter(({values}) => values.every(Boolean));
    const others = differences.filter(({values}) => !values.every(Boolean));
    return [
      ...(shared.length ? [make("h2", {}, "values that differ"), table("Values in which the groups differ", shared)] : []),
      ...(others.length ? [part("others", `values that only some groups have (${others.length})`, table("Values that only some groups have", others.slice(0, MOST)))] : []),
    ];
  }

  draw_curves({groups, metric, unit}) {
    const width = Math.floor(this.holder.clientWidth);
    if (width < 50) return;
    const lines = groups.map((group, i) => ({name: with_runs(group.name, group.runs.length), colour: this.state.colour(i), x: group.curve.x, y: group.curve.value,
      low: group.runs.length > 1 ? group.curve.low : null, high: group.runs.length > 1 ? group.curve.high : null, interval: true})).filter((line) => line.x.length);
    if (lines.length) this.plot.draw(lines, {axis: unit, metric, logarithmic: false, width, height: Math.round(Math.min(320, Math.max(190, width * 0.4)))});
    else this.plot.clear();
    this.plot.resize(width, Math.round(Math.min(320, Math.max(190, width * 0.4))));
  }

  restyle() {
    this.plot.clear();
    if (this.answer) this.draw(this.answer);
  }
}

// A dot for each run; the interquartile mean as a line in the bar of its interval.
function spread(group, [least, most], colour) {
  const width = 160;
  const x = (value) => 6 + ((width - 12) * (value - least)) / (most - least || 1);
  const picture = make_svg("svg", {class: "spread", width, height: 22, viewBox: `0 0 ${width} 22`, role: "img",
    "aria-label": `scores ${group.runs.map((run) => number(run.score)).join(", ")}`});
  if ("low" in group.iqm) picture.append(make_svg("rect", {x: x(group.iqm.low), y: 8, width: Math.max(1, x(group.iqm.high) - x(group.iqm.low)), height: 6, rx: 2, fill: colour, "fill-opacity": 0.35}));
  picture.append(...group.runs.map((run) => make_svg("circle", {cx: x(run.score), cy: 11, r: 3.5, fill: colour, "fill-opacity": 0.65},
    make_svg("title", {}, `seed ${run.seed}: ${number(run.score)}`))));
  picture.append(make_svg("rect", {x: x(group.iqm.value) - 1, y: 2, width: 2, height: 18, fill: colour}));
  return picture;
}
