// SPDX-License-Identifier: Apache-2.0
// One plot of lines by uPlot, with the nearest line named at the cursor.
import {make, number, short, duration, with_runs} from "./text.js";
import {faint} from "./colours.js";

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// All lines on one x, as uPlot wants them; each line has up to four columns: y, raw, low, high.
function table_of(lines) {
  const series = [{}];
  const bands = [];
  const tables = [];
  const owners = [null];
  const add = (line, x, y, options) => {
    tables.push([x, y]);
    owners.push(line);
    series.push({spanGaps: true, pxAlign: 0, points: {show: x.length < 2, size: 5}, ...options});
    return series.length - 1;
  };
  for (const line of lines) {
    if (line.low) {
      const hidden = {stroke: "transparent", width: 0, points: {show: false}};
      const high = add(null, line.x, line.high, hidden);
      const low = add(null, line.x, line.low, hidden);
      bands.push({series: [high, low], fill: faint(line.colour, line.interval ? 0.2 : 0.15)});
    }
    if (line.raw) add(null, line.x, line.raw, {stroke: faint(line.colour, 0.25), width: 1, points: {show: false}});
  }
  for (const line of lines) {
    const width = lines.length > 30 ? 1 : line.emphasised ? 2.5 : 1.5;
    add(line, line.x, line.y, {stroke: faint(line.colour, lines.length > 30 && !line.emphasised ? 0.7 : 1), width, label: line.name});
  }
  return {data: uPlot.join(tables), series, bands, owners};
}

export class Plot {
  constructor(holder) {
    this.holder = holder;
    this.tip = make("div", {class: "tip", hidden: true});
    this.plot = null;
    this.shape = "";
  }

  // axis: "frames", "updates" or "time". metric: what y is.
  draw(lines, {axis, metric, logarithmic, width, height}) {
    const {data, series, bands, owners} = table_of(lines);
    const shape = JSON.stringify([axis, metric, logarithmic, series.map((s) => [s.stroke, s.width, s.label]), bands.map((b) => b.fill)]);
    this.owners = owners;
    if (this.plot && shape === this.shape) {
      const zoomed = this.zoomed;
      this.plot.setData(data, !zoomed);
      if (zoomed) this.plot.redraw();
      return;
    }
    this.clear();
    this.shape = shape;
    this.plot = new uPlot(this.options({axis, metric, logarithmic, width, height, series, bands}), data, this.holder);
    this.plot.over.append(this.tip);
  }

  options({axis, metric, logarithmic, width, height, series, bands}) {
    const text = style("--faint");
    const grid = {stroke: style("--grid"), width: 1};
    const font = "11px system-ui, sans-serif";
    const x_text = axis === "time" ? duration : short;
    const all_axes = {stroke: text, font, grid, ticks: {show: false}, labelFont: font, labelSize: 16};
    return {
      width, height, series, bands,
      padding: [6, 24, 0, 0],
      legend: {show: false},
      cursor: {points: {size: 6}, drag: {x: true, y: false}, focus: {prox: 30}},
      scales: {x: {time: false}, y: {distr: logarithmic ? 3 : 1}},
      axes: [
        {...all_axes, label: axis, size: 26, space: 70, values: (_, all) => all.map((v) => v == null ? "" : axis === "time" && v === 0 ? "0" : x_text(v))},
        {...all_axes, label: end_of(metric, Math.floor((height - 50) / 6)), size: 52, space: 32, values: (_, all) => all.map((v) => v == null ? "" : short(v))},
      ],
      hooks: {
        setCursor: [(plot) => this.show_tip(plot, x_text)],
        setSelect: [() => { this.zoomed = true; }],
        setScale: [(plot, key) => {
          if (key === "x" && plot.data[0].length) {
            const x = plot.data[0];
            this.zoomed = plot.scales.x.min > x[0] || plot.scales.x.max < x[x.length - 1];
          }
        }],
      },
    };
  }

  // Shows the line nearest to the cursor, next to it.
  show_tip(plot, x_text) {
    const {left, top, idx} = plot.cursor;
    let best = null;
    if (idx != null && left >= 0) {
      for (let i = 1; i < plot.series.length; ++i) {
        if (!this.owners[i]) continue;
        const k = nearest_value(plot.data[i], idx);
        if (k == null) continue;
        const away = Math.abs(plot.valToPos(plot.data[i][k], "y") - top) + Math.abs(plot.valToPos(plot.data[0][k], "x") - left) / 4;
        if (!best || away < best.away) best = {away, line: this.owners[i], x: plot.data[0][k], y: plot.data[i][k]};
      }
    }
    this.tip.hidden = !best;
    if (!best) return;
    this.tip.replaceChildren(
      make("i", {style: {background: best.line.colour}}), make("b", {}, number(best.y)), ` at ${x_text(best.x)}`, make("br"), best.line.name);
    const right = left > plot.over.clientWidth / 2;
    Object.assign(this.tip.style, {left: right ? "" : `${left + 12}px`, right: right ? `${plot.over.clientWidth - left + 12}px` : "",
      top: `${Math.max(0, Math.min(top - 10, plot.over.clientHeight - 48))}px`});
  }

  resize(width, height) {
    if (this.plot && (this.plot.width !== width || this.plot.height !== height)) this.plot.setSize({width, height});
  }

  clear() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
    this.zoomed = false;
  }
}

const end_of = (text, most) => (text.length > most ? "…" + text.slice(1 - most) : text);

// The items of a legend. lines: [{name, colour, runs}]
export const legend_of = (lines) => lines.map(({name, colour, runs}) =>
  make("li", {}, make("i", {class: "swatch", style: {background: colour}}), with_runs(name, runs)));

// The index with a value that is nearest to `from`; lines of other runs have their values at other x.
function nearest_value(values, from) {
  for (let step = 0; step < values.length; ++step) {
    if (values[from - step] != null) return from - step;
    if (values[from + step] != null) return from + step;
    if (from - step < 0 && from + step >= values.length) return null;
  }
  return null;
}
