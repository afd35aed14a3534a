// SPDX-License-Identifier: Apache-2.0
// Colours of lines, on a light and on a dark page.

const LIGHT = ["#1f77b4", "#d95f02", "#1b9e77", "#c2278c", "#7a5bd0", "#a6761d", "#0f8aa6", "#c43131", "#5a7d1a", "#5f6b7a"];
const DARK = ["#5aa9e6", "#ff9d4d", "#4fd1a5", "#f173c0", "#b39bff", "#e0b352", "#4fd0e8", "#ff7b72", "#a3cc5a", "#a8b4c4"];
const GOLDEN = 137.508;  // degrees: hues that are never close to those just before

// The colour of line i. After the first ten, hues continue around the colour wheel, alternately lighter and darker.
export function colour_of(i, dark) {
  const first = dark ? DARK : LIGHT;
  if (i < first.length) return first[i];
  const lightness = (dark ? [0.58, 0.9, 0.66] : [0.36, 0.64, 0.46])[i % 3];
  return `oklch(${lightness} 0.12 ${((i * GOLDEN) % 360).toFixed(1)})`;
}

export const faint = (colour, part) => `color-mix(in srgb, ${colour} ${Math.round(100 * part)}%, transparent)`;
