// SPDX-License-Identifier: Apache-2.0
// The view of the wiring: the output of `tenon explain` for a run, as a picture and tables. From left to right: writers
// of columns, the columns, their readers, the stages of the readers' optimisers, the networks that these train.
import {$, make, make_svg, make_table, bytes, short} from "./text.js";

const [WIDTH, HEIGHT, GAP, BETWEEN] = [150, 40, 12, 34];
const LAYERS = ["written by", "columns", "read by", "stages", "networks"];

const known = new Map();

export async function draw_wiring(state, ask) {
  const panel = $("wiring");
  const run = state.selected();
  if (!run) return panel.replaceChildren(make("p", {class: "note"}, "There are no runs."));
  const {colour} = state.line_of(run);
  if (panel.dataset.run === run.id && panel.dataset.drawn === String(known.has(run.id))) {
    panel.querySelector(".swatch").style.background = colour;  // of another theme
    return;
  }
  panel.dataset.run = run.id;
  panel.dataset.drawn = known.has(run.id);
  const title = make("h2", {}, make("i", {class: "swatch", style: {background: colour}}), run.name);
  if (known.has(run.id)) return panel.replaceChildren(title, ...contents(known.get(run.id)));
  panel.replaceChildren(title, make("p", {class: "note"}, "…"));
  const answer = await ask("/api/wiring", {id: run.id});
  if (answer) known.set(run.id, answer);
  if (panel.dataset.run === run.id) panel.dataset.run = "";
  if (answer) draw_wiring(state, ask);
}

const shape_text = (shape) => (shape.length ? `[${shape.join(", ")}]` : "");
const list = (words) => words.join(", ") || "–";
const writer_of = (column) => column.writer.split(/, (?:read|sampled) through /)[0];
// "objective.NAME" owns the stages "NAME.STAGE"; a single objective those without a dot.
const owns_stage = (reader, stage) => /^objective/.test(reader) &&
  (stage.includes(".") && reader.includes(".") ? reader.split(".")[1] === stage.split(".")[0] : true);

function contents(wiring) {
  if (wiring.problem) return [make("pre", {tabindex: 0}, wiring.problem)];
  const {memory} = wiring;
  const tables = [
    ["columns", ["column", "type", "written by", "read by", "per row", "total"], wiring.columns.map((each) =>
      [each.key, `${each.dtype} ${shape_text(each.shape)}`, each.writer, list(each.readers), bytes(each.row_bytes), bytes(each.bytes)])],
    ["networks", ["network", "component", "members", "parameters", "state", "copies", "initial", "memory"], wiring.networks.map((each) =>
      [each.role, each.component, each.members, short(each.parameters), short(each.state), list([...(each.target ? ["target"] : []), ...each.copies]),
        (each.init || "at random") + (each.frozen ? ", frozen" : ""), bytes(each.bytes)])],
    ["layers", ["layer", "op", "input", "output"], wiring.layers.map((each) =>
      [each.network + (each.name ? `.${each.name}` : ""), each.op, shape_text(each.reads), shape_text(each.gives)])],
    ["stages", ["stage", "losses", "owns", "optimiser", "every"], wiring.stages.map((each) =>
      [each.name, list(each.losses), list(each.owns), each.optimiser, `${each.every === 1 ? "" : each.every + " "}${each.unit}`])],
    ["schedules", ["option", "schedule"], wiring.schedules.map((each) => [each.option, each.schedule])],
    ["hooks", ["hook", "called at", "reads", "reports", "moves"], wiring.hooks.map((each) =>
      [each.component, list(each.events), list(each.reads), each.reports.length > 8 ? `${each.reports.length} metrics` : list(each.reports), list(each.moves)])],
    ["tasks", ["task", "component", "lanes"], wiring.tasks.map((each) => [each.task, each.component, `${each.first} to ${each.first + each.lanes - 1}`])],
    ["stand-ins", ["stand-in", "for the column", "read by"], wiring.stand_ins.map((each) => [each.of, each.column, list(each.readers)])],
  ];
  return [
    make("p", {}, wiring.loop),
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Picture of the wiring"}, picture(wiring)),
    make("p", {class: "note"}, `Memory: ${bytes(memory.columns)} for columns, ${bytes(memory.networks)} for networks, ${bytes(memory.minibatch)} for a minibatch` +
      (memory.disk ? `, ${bytes(memory.disk)} on the disk.` : ".")),
    ...tables.filter(([, , rows]) => rows.length).flatMap(([name, header, rows]) => [make("h3", {}, name), make_table(name, header, rows)]),
  ];
}

// The nodes of the five layers and the lines between them.
function graph_of(wiring) {
  const nodes = new Map();
  const edges = [];
  const node = (layer, name, ...lines) => {  // the first line is drawn, all are in its title
    const key = `${layer} ${name}`;
    if (!nodes.has(key)) nodes.set(key, {key, layer, name, lines});
    return key;
  };
  for (const column of wiring.columns) {
    const key = node(1, column.key, `${column.dtype} ${shape_text(column.shape)}`);
    edges.push([node(0, writer_of(column)), key]);
    for (const reader of column.readers) edges.push([key, node(2, reader)]);
  }
  for (const network of wiring.networks) node(4, network.role, network.component, `${short(network.parameters)} parameters`);
  for (const stage of wiring.stages) {
    const key = node(3, stage.name, stage.optimiser);
    for (const each of [...nodes.values()]) if (each.layer === 2 && owns_stage(each.name, stage.name)) edges.push([each.key, key]);
    for (const network of stage.owns) if (nodes.has(`4 ${network}`)) edges.push([key, `4 ${network}`]);
  }
  return {nodes, edges};
}

function picture(wiring) {
  const {nodes, edges} = graph_of(wiring);
  const layers = LAYERS.map((_, layer) => [...nodes.values()].filter((each) => each.layer === layer));
  const tall = Math.max(...layers.map((layer) => layer.length)) * (HEIGHT + GAP);
  layers.forEach((layer, at) => layer.forEach((each, i) => {
    each.x = at * (WIDTH + BETWEEN) + 1;
    each.y = 26 + (tall - layer.length * (HEIGHT + GAP)) / 2 + i * (HEIGHT + GAP);
  }));
  const width = 5 * WIDTH + 4 * BETWEEN + 2;
  const svg = make_svg("svg", {class: "wiring", width, height: tall + 28, viewBox: `0 0 ${width} ${tall + 28}`, role: "group", "aria-label": "wiring"});
  LAYERS.forEach((name, at) => layers[at].length && svg.append(make_svg("text", {class: "layer", x: at * (WIDTH + BETWEEN) + 1, y: 14}, name)));
  const paths = edges.map(([from, to]) => {
    const [a, b] = [nodes.get(from), nodes.get(to)];
    const [x, y, u, v] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x, b.y + HEIGHT / 2];
    return make_svg("path", {class: "edge", d: `M${x} ${y}C${x + BETWEEN / 2} ${y} ${u - BETWEEN / 2} ${v} ${u} ${v}`});
  });
  svg.append(...paths);
  const light = (key) => {
    const near = new Set([key]);
    edges.forEach(([from, to], i) => {
      paths[i].classList.toggle("lit", key !== null && (from === key || to === key));
      if (from === key || to === key) near.add(from).add(to);
    });
    for (const each of nodes.values()) each.element.classList.toggle("dim", key !== null && !near.has(each.key));
  };
  for (const each of nodes.values()) {
    const {key, name, lines, x, y} = each;
    each.element = make_svg("g", {class: "node", tabindex: 0, role: "img", "aria-label": label_of(each, edges, nodes),
      onfocus: () => light(key), onblur: () => light(null), onpointerenter: () => light(key), onpointerleave: () => light(null)},
    make_svg("title", {}, [name, ...lines].join("\n")),
    make_svg("rect", {x, y, width: WIDTH, height: HEIGHT, rx: 6}),
    make_svg("text", {class: "name", x: x + 9, y: y + (lines.length ? 17 : 24)}, cut(name, 19)),
    lines.length ? make_svg("text", {x: x + 9, y: y + 32}, cut(lines[0], 22)) : null);
    svg.append(each.element);
  }
  return svg;
}

function label_of(node, edges, nodes) {
  const names = (keys) => keys.map((key) => nodes.get(key).name).join(", ");
  const before = edges.filter(([, to]) => to === node.key).map(([from]) => from);
  const after = edges.filter(([from]) => from === node.key).map(([, to]) => to);
  return `${LAYERS[node.layer]}: ${node.name}${before.length ? `, from ${names(before)}` : ""}${after.length ? `, to ${names(after)}` : ""}`;
}

const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
