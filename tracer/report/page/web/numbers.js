// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Numbers as people read them.

export const digits = (value) => Number(value.toPrecision(4)).toString();
/** Four digits, or all of those before the point. */
const fourDigits = (value) => value < 9999.5 ? digits(value) : value.toFixed(0);
/** A duration. */
export function time(ns) {
  const sign = ns < 0 ? '-' : ''; ns = Math.abs(ns);
  return sign + (ns < 1e3 ? digits(ns) + ' ns' : ns < 999.95e3 ? digits(ns / 1e3) + ' µs' : ns < 999.95e6 ? digits(ns / 1e6) + ' ms' : fourDigits(ns / 1e9) + ' s');
}
/** A time on an axis whose marks are `step` apart: as many decimals as tell them apart. */
export function axisTime(ns, step) {
  const most = Math.max(Math.abs(ns), step);
  const [unit, name] = most < 1e3 ? [1, 'ns'] : most < 1e6 ? [1e3, 'µs'] : most < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  return (ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)))) + ' ' + name;
}
export const bytesText = (b) => { let u = 0; const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']; while (b >= 1023.95 && u < 5) { b /= 1024; ++u; } return fourDigits(b) + ' ' + units[u]; };
export const count = (n) => Math.round(n).toLocaleString('en');
export const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + ' %' : '-';
/** A text in the room of so many characters. @param {string} text @param {number} chars */
export const fitting = (text, chars) => text.length <= Math.floor(chars) ? text : text.slice(0, Math.max(1, Math.floor(chars) - 1)) + '…';
/** How far apart marks on an axis are, so that there is one in each `wanted`: 1, 2 or 5 times a power of ten. */
export function axisStep(wanted) {
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= wanted) ?? 10 * power;
}
