// SPDX-License-Identifier: Apache-2.0
// The view of histograms: the distribution of a column's or a network's values, over the length of a run and at one
// record. Both have the same vertical axis: the bins, and at its two ends the values outside of them.
import {$, make, number, short, duration, spaced, how_to} from "./text.js";

const HEIGHT = 220;
const POINTS = 240;

const HOW = how_to("This run has no histograms. Hooks that count the values of a column or a network in bins record them. " +
  "The first command lists hooks and what they count, the second one the options of a hook; these go into the lines for the manifest:",
`tenon list hook
tenon inspect LIBRARY/HOOK

[[hooks]]
plugin = "LIBRARY/HOOK"
name = "rewards"`);

export class Histograms {
  constructor(state, ask) {
    this.state = state;
    this.ask = ask;
    this.panels = new Map();
    new ResizeObserver(() => this.restyle()).observe($("histograms"));
  }

  async update() {
    const run = this.state.selected();
    if (!run) return $("histograms").replaceChildren(make("p", {class: "note"}, "There are no runs."));
    const wanted = `${run.id} ${run.records} ${this.state.settings.axis}`;
    if (wanted === this.known || this.asking) return;
    this.asking = true;
    const answer = await this.ask("/api/histograms", {id: run.id, x: this.state.settings.axis, points: POINTS});
    this.asking = false;
    if (!answer) return;
    this.known = wanted;
    this.lay_out(run, answer.histograms);
    this.update();
  }

  lay_out(run, histograms) {
    if (run.id !== this.of) this.panels.clear();
    this.of = run.id;
    const elements = histograms.map((histogram) => {
      if (!this.panels.has(histogram.name)) this.panels.set(histogram.name, this.make_panel(histogram.name));
      const panel = this.panels.get(histogram.name);
      if (panel.at === panel.histogram?.x.length - 1) panel.at = null;  // stays at the latest record
      panel.histogram = histogram;
      panel.at = Math.min(panel.at ?? Infinity, histogram.x.length - 1);
      return panel.element;
    });
    const title = make("h2", {}, make("i", {class: "swatch"}), run.name);
    const now = $("histograms").querySelectorAll(".histogram");
    if (this.title !== run.name || now.length !== elements.length || elements.some((element, i) => element !== now[i])) {
      $("histograms").replaceChildren(title, ...(elements.length ? elements : HOW));
    }
    this.title = run.name;
    this.restyle();
  }

  make_panel(name) {
    const at = make("span", {class: "latest", role: "status"});
    const map = make("canvas", {class: "map"});
    const bars = make("canvas", {class: "counts"});
    const labels = ["high", "low", "first", "last"].map((kind) => make("span", {class: `end ${kind}`}));
    const element = make("figure", {class: "panel histogram", tabindex: 0, "aria-label": `histogram ${name}; left and right choose a record`},
      make("figcaption", {title: name}, spaced(name), at), make("div", {class: "maps"}, map, bars, ...labels));
    const panel = {name, element, map, bars, label: at, labels, at: null, histogram: null};
    map.addEventListener("pointermove", (event) => this.choose(panel, Math.floor((event.offsetX / map.clientWidth) * panel.histogram.x.length)));
    element.addEventListener("keydown", (event) => {
      const step = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.choose(panel, panel.at + step);
    });
    return panel;
  }

  choose(panel, at) {
    panel.at = Math.min(panel.histogram.x.length - 1, Math.max(0, at));
    this.draw(panel);
  }

  restyle() {
    const run = this.state.runs.find((each) => each.id === this.of);
    const swatch = $("histograms").querySelector(".swatch");
    if (run && swatch) swatch.style.background = this.state.line_of(run).colour;
    for (const panel of this.panels.values()) if (panel.element.isConnected) this.draw(panel);
  }

  draw(panel) {
    const {x, counts, low, high} = panel.histogram;
    const x_text = (value) => this.state.settings.axis === "time" ? duration(value) : short(value);
    const total = (i) => counts.reduce((sum, bin) => sum + bin[i], 0);
    const sums = x.map((_, i) => total(i));
    const share = (bin, i) => (sums[i] > 0 ? counts[bin][i] / sums[i] : 0);
    const most = Math.max(1e-9, ...x.map((_, i) => Math.max(...counts.map((_, bin) => share(bin, i)))));
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const edge_of = (bin, height) => Math.round(height * (1 - bin / counts.length));
    const row = (bin, height) => [edge_of(bin + 1, height), edge_of(bin, height) - edge_of(bin + 1, height)];
    paint(panel.map, (context, width, height) => {
      context.fillStyle = colour("--accent");
      for (let i = 0; i < x.length; ++i) {
        const [left, right] = [Math.floor((i * width) / x.length), Math.floor(((i + 1) * width) / x.length)];
        for (let bin = 0; bin < counts.length; ++bin) {
          context.globalAlpha = Math.sqrt(share(bin, i) / most);
          const [top, size] = row(bin, height);
          context.fillRect(left, top, Math.max(1, right - left), size);
        }
      }
      context.globalAlpha = 1;
      this.draw_bounds(context, width, height, counts.length, colour("--faint"));
      context.fillStyle = colour("--text");
      context.fillRect(((panel.at + 0.5) * width) / x.length, 0, 1, height);
    });
    paint(panel.bars, (context, width, height) => {
      context.fillStyle = colour("--accent");
      for (let bin = 0; bin < counts.length; ++bin) {
        const [top, size] = row(bin, height);
        context.fillRect(0, top, (width * share(bin, panel.at)) / most, Math.max(1, size - 1));
      }
      this.draw_bounds(context, width, height, counts.length, colour("--faint"));
    });
    const outside = (bin) => `${(100 * share(bin, panel.at)).toFixed(0)} %`;
    panel.label.textContent = `at ${x_text(x[panel.at])}: ${short(sums[panel.at])} values, ${outside(0)} below, ${outside(counts.length - 1)} above`;
    const texts = [number(high), number(low), x_text(x[0]), x_text(x[x.length - 1])];
    panel.labels.forEach((label, i) => { label.textContent = texts[i]; });
    const edge = HEIGHT / counts.length;
    panel.labels[0].style.top = `${edge}px`;
    panel.labels[1].style.top = `${HEIGHT - edge}px`;
  }

  // Draws lines at the bounds: values beyond these are in no bin.
  draw_bounds(context, width, height, rows, colour) {
    context.fillStyle = colour;
    for (const y of [height / rows, height - height / rows]) context.fillRect(0, Math.round(y), width, 1);
  }
}

function paint(canvas, draw) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, HEIGHT];
  if (!width) return;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  draw(context, width, height);
}
