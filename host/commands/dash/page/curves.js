// SPDX-License-Identifier: Apache-2.0
// The view of curves: a panel for each metric. Only panels that are on the screen ask for their numbers.
import {$, make, number, spaced} from "./text.js";
import {band_of, lines_of} from "./lines.js";
import {Plot, legend_of} from "./plot.js";

const ORDER = ["eval", "rollout", "train", "hook", "time"];

const order_of = (name) => {
  const part = name.split("/")[0];
  const place = ORDER.indexOf(part);
  return place < 0 ? ORDER.length : place;
};

export class Curves {
  // state: the page's (dash.js)
  constructor(state, ask) {
    this.state = state;
    this.ask = ask;
    this.panels = new Map();
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const panel = this.panels.get(entry.target.dataset.metric);
        if (!panel) continue;
        panel.visible = entry.isIntersecting;
        if (panel.visible) this.refresh(panel);
      }
    }, {rootMargin: "200px"});
    new ResizeObserver(() => this.resize()).observe($("panels"));
  }

  // After anything has changed: runs, the choice of runs, x, smoothing.
  update() {
    const words = this.state.settings.metrics.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = this.state.metrics
      .filter((name) => !["frames", "train/n_updates", "time/time_elapsed"].includes(name))
      .filter((name) => words.every((word) => name.toLowerCase().includes(word)))
      .map((name, i) => [order_of(name), i, name])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .map(([, , name]) => name);
    if (wanted.join() !== this.names) {
      this.names = wanted.join();
      this.lay_out(wanted);
    }
    this.draw_legend();
    for (const panel of this.panels.values()) {
      if (panel.visible) this.refresh(panel);
      else panel.stale = true;
    }
  }

  // One for all plots, which have the same lines.
  draw_legend() {
    const lines = new Map();
    for (const run of this.state.shown()) {
      const {key, name, colour} = this.state.line_of(run);
      lines.set(key, {name, colour, runs: (lines.get(key)?.runs || 0) + 1});
    }
    const all = [...lines.values()];
    const bands = new Set(all.filter(({runs}) => runs > 1).map(({runs}) => band_of(runs)));
    const text = JSON.stringify(all);
    if (text === this.legend) return;
    this.legend = text;
    $("legend").replaceChildren(...legend_of(all), ...(bands.size ? [make("li", {class: "note"}, `lines are means, bands their ${[...bands].join(" or ")}`)] : []));
  }

  lay_out(wanted) {
    const sections = new Map();
    const before = this.panels;
    this.panels = new Map();
    for (const metric of wanted) {
      const panel = before.get(metric) || this.make_panel(metric);
      before.delete(metric);
      this.panels.set(metric, panel);
      const part = metric.includes("/") ? metric.split("/")[0] : "other";
      if (!sections.has(part)) sections.set(part, make("div", {class: "grid"}));
      sections.get(part).append(panel.element);
    }
    for (const panel of before.values()) {
      this.seen.unobserve(panel.element);
      panel.plot.clear();
    }
    $("panels").replaceChildren(...[...sections].flatMap(([part, grid]) => [make("h2", {}, part), grid]),
      ...(wanted.length ? [] : [make("p", {class: "note"}, this.state.runs.length ? "No metric has such a name, or no run has recorded yet." : "There are no runs.")]));
  }

  make_panel(metric) {
    const holder = make("div", {class: "plot"});
    const latest = make("span", {class: "latest"});
    const title = metric.includes("/") ? metric.slice(metric.indexOf("/") + 1) : metric;
    const element = make("figure", {class: "panel", "data-metric": metric, tabindex: 0, "aria-label": metric},
      make("figcaption", {title: metric}, spaced(title), latest), holder);
    this.seen.observe(element);
    return {metric, element, holder, latest, plot: new Plot(holder), curves: new Map(), visible: false};
  }

  // Requests the curves that have grown, and draws.
  async refresh(panel) {
    const {settings} = this.state;
    const runs = this.state.shown();
    const points = runs.length > 20 ? 150 : 400;
    const kind = `${settings.axis} ${points}`;
    if (panel.kind !== kind) panel.curves.clear();
    panel.kind = kind;
    const stale = runs.filter((run) => run.latest[panel.metric] !== undefined && panel.curves.get(run.id)?.records !== run.records);
    if (stale.length && !panel.asking) {
      panel.asking = true;
      const asked = new Map(stale.map((run) => [run.id, run.records]));
      const answer = await this.ask("/api/curves", {metric: panel.metric, x: settings.axis, points, runs: [...asked.keys()].join()});
      panel.asking = false;
      if (answer && panel.kind === kind) {
        for (const curve of answer.curves) panel.curves.set(curve.run, {...curve, records: asked.get(curve.run)});
        for (const [id, records] of asked) if (!panel.curves.has(id)) panel.curves.set(id, {x: [], y: [], records});
      }
      if (panel.kind !== kind || !answer) {
        if (answer) this.refresh(panel);
        return;
      }
    }
    this.draw(panel);
  }

  draw(panel) {
    const {settings} = this.state;
    const items = [];
    for (const run of this.state.shown()) {
      const curve = panel.curves.get(run.id);
      if (curve && curve.x.length) items.push({...this.state.line_of(run), curve});
    }
    const grouped = settings.group !== "";
    const lines = lines_of(items, Number(settings.smoothing), grouped).filter((line) => line.x.length);
    for (const line of lines) line.emphasised = items.some((item) => item.selected && item.name === line.name);
    panel.latest.textContent = lines.length === 1 ? number(lines[0].y[lines[0].y.length - 1]) : "";
    panel.element.classList.toggle("empty", lines.length === 0);
    if (!lines.length) {
      panel.plot.clear();
      return;
    }
    const logarithmic = settings.log && lines.every((line) => line.y.every((y) => y > 0));
    panel.plot.draw(lines, {axis: settings.axis, metric: panel.metric, logarithmic, ...this.size_of(panel)});
  }

  size_of(panel) {
    const width = Math.max(200, Math.floor(panel.holder.clientWidth));
    return {width, height: Math.round(Math.min(260, Math.max(170, width * 0.55)))};
  }

  resize() {
    for (const panel of this.panels.values()) {
      const {width, height} = this.size_of(panel);
      panel.plot.resize(width, height);
    }
  }

  // Colours come from the style sheet when a plot is made.
  restyle() {
    for (const panel of this.panels.values()) panel.plot.clear();
    this.update();
  }
}
