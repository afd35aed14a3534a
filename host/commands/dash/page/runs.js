// SPDX-License-Identifier: Apache-2.0
// The list of runs: which are shown, which one is selected.
import {$, make, counted, number, short, duration, score} from "./text.js";

export class RunList {
  constructor(state) {
    this.state = state;
    this.rows = new Map();
  }

  update() {
    const {state} = this;
    const listed = state.listed();
    const chosen = state.selected();
    const {unfolded} = state.settings;
    $("list").classList.toggle("unfolded", unfolded);
    $("fold").setAttribute("aria-expanded", unfolded);
    $("fold").textContent = `${unfolded ? "▾" : "▸"} ${counted(listed.length, "run")}${chosen ? ` · ${chosen.name}` : ""}`;
    const rows = listed.map((run) => this.row_of(run, run === chosen));
    const list = $("runs");
    if (rows.length !== list.children.length || rows.some((row, i) => row.element !== list.children[i])) {
      const focused = document.activeElement;
      list.replaceChildren(...rows.map((row) => row.element));
      if (focused && list.contains(focused)) focused.focus();
    }
  }

  row_of(run, selected) {
    let row = this.rows.get(run.id);
    if (!row) {
      row = this.make_row(run);
      this.rows.set(run.id, row);
    }
    const {state} = this;
    const line = state.line_of(run);
    const [name, value] = score(run);
    row.element.dataset.state = run.state;
    row.element.classList.toggle("selected", selected);
    row.name.setAttribute("aria-current", selected);
    row.box.checked = !state.settings.hidden.includes(run.id);
    row.swatch.style.background = line.colour;
    row.name.textContent = run.name;
    row.name.title = run.problem || run.folder;
    row.state.textContent = run.problem ? "damaged" : run.state;
    row.bar.parentElement.hidden = run.state === "ended";
    row.bar.style.width = run.length > 0 ? `${Math.min(100, (100 * run.position) / run.length)}%` : "0";
    const goes_on = run.length > 0 && !(run.state === "ended" && run.position >= run.length);
    const parts = [`${short(run.position)}${goes_on ? ` / ${short(run.length)}` : ""} ${run.unit}`];
    if (run.state === "running" && run.per_second > 0) parts.push(`${short(run.per_second)}/s`);
    if (run.seconds_left > 0) parts.push(`${duration(run.seconds_left)} left`);
    row.note.textContent = parts.join("  ·  ");
    row.score.textContent = value == null ? "" : number(value);
    row.score.title = name;
    return row;
  }

  make_row(run) {
    const {state} = this;
    const box = make("input", {type: "checkbox", "aria-label": `show ${run.name}`, onchange: () => state.toggle(run.id)});
    const swatch = make("i", {class: "swatch"});
    const name = make("button", {type: "button", class: "name", onclick: () => state.select(run.id),
      ondblclick: () => state.show_only(run.id)});
    const badge = make("span", {class: "state"});
    const bar = make("i", {});
    const note = make("span", {class: "note"});
    const value = make("b", {class: "score"});
    const element = make("li", {}, make("label", {class: "check"}, box, swatch), name, value, badge,
      make("span", {class: "progress", "aria-hidden": "true"}, bar), note);
    return {element, box, swatch, name, state: badge, bar, note, score: value};
  }

  reveal(id) {
    this.rows.get(id)?.element.scrollIntoView({block: "nearest"});
  }
}
