// SPDX-License-Identifier: Apache-2.0
// Makes the lines of a plot from the curves of runs: smoothing, and the mean and interval of a group. It touches no
// elements of the page.

// An exponential mean that forgets by records, without the pull of the first value (as in TensorBoard).
export function smooth(y, weight) {
  if (weight <= 0) return y;
  let mean = 0;
  let mass = 0;
  return y.map((value) => {
    mean = mean * weight + (1 - weight) * value;
    mass = mass * weight + (1 - weight);
    return mean / mass;
  });
}

// The value at a point between two records; null outside of the run.
export function at(curve, x, from = 0) {
  const xs = curve.x;
  if (x < xs[0] || x > xs[xs.length - 1]) return [null, from];
  let i = from;
  while (i + 1 < xs.length && xs[i + 1] < x) ++i;
  if (i + 1 >= xs.length || xs[i] >= x) return [curve.y[i], i];
  const part = (x - xs[i]) / (xs[i + 1] - xs[i] || 1);
  return [curve.y[i] + part * (curve.y[i + 1] - curve.y[i]), i];
}

// Student's t for 95 %, by degrees of freedom from 1.
const STUDENT = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086];
const student = (degrees) => (degrees <= STUDENT.length ? STUDENT[degrees - 1] : 1.96 + 2.5 / degrees);

// A few values say little about their spread: their range is shown instead of an interval.
const kEnough = 5;
export const band_of = (runs) => (runs < kEnough ? "range" : "95 % interval");

// The mean of several curves and its 95 % interval, at points where at least half of the curves have values. Elsewhere,
// a mean of the longest runs would mislead.
export function mean_of(curves, points = 240) {
  const first = Math.min(...curves.map((curve) => curve.x[0]));
  const last = Math.max(...curves.map((curve) => curve.x[curve.x.length - 1]));
  const places = curves.map(() => 0);
  const steps = last > first ? points - 1 : 0;
  const out = {x: [], y: [], low: [], high: []};
  for (let k = 0; k <= steps; ++k) {
    const x = steps > 0 ? first + ((last - first) * k) / steps : first;
    const values = [];
    curves.forEach((curve, i) => {
      const [value, place] = at(curve, x, places[i]);
      places[i] = place;
      if (value != null) values.push(value);
    });
    if (values.length === 0 || values.length * 2 < curves.length) continue;
    const n = values.length;
    const mean = values.reduce((a, b) => a + b, 0) / n;
    const variance = n > 1 ? values.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1) : 0;
    const half = n > 1 ? student(n - 1) * Math.sqrt(variance / n) : 0;
    out.x.push(x);
    out.y.push(mean);
    out.low.push(curves.length < kEnough ? Math.min(...values) : mean - half);
    out.high.push(curves.length < kEnough ? Math.max(...values) : mean + half);
  }
  return out;
}

// The lines of a plot: [{name, colour, x, y, low?, high?, raw?}]. `items`: [{key, name, colour, curve}]; those with
// the same key are one group.
export function lines_of(items, weight, grouped) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(item.key)) groups.set(item.key, []);
    groups.get(item.key).push(item);
  }
  const few = groups.size <= 8;
  return [...groups.values()].map((members) => {
    const {name, colour} = members[0];
    const smoothed = members.map(({curve}) => ({...curve, y: smooth(curve.y, weight)}));
    if (grouped && members.length > 1) {
      return {name: `${name} (mean and ${band_of(members.length)} of ${members.length} runs)`, colour, ...mean_of(smoothed), interval: true};
    }
    const [curve] = smoothed;
    const spread = few && weight === 0 && curve.low;
    return {name, colour, x: curve.x, y: curve.y, low: spread ? curve.low : null, high: spread ? curve.high : null,
      raw: few && weight > 0 ? members[0].curve.y : null};
  });
}
