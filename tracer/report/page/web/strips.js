// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What is drawn over time beside slices: counters, samples, and what the threads of a process do together.
import {activityColour, activityNames} from './colours.js';
import {tag} from './dom.js';
import {axisTime, bytesText, count, digits, fitting, time} from './numbers.js';
import {above} from './rows.js';
import {activities, COUNTER, GAP, length} from './trace.js';
import {NAMES, order, theme, toX, view, width} from './timeline.js';

/** Of several counters of a name the end tells them apart: whose each is. */
function counterName(counter, room) {
  const metric = counter.metric || counter.name, of = counter.name.slice(metric.length);
  return fitting(fitting(metric, Math.max(6, room - of.length)) + of, room);
}
export function drawCounter(g, counter) {
  // 0 is in the picture: a value's height is its share of the largest.
  const h = COUNTER, n = counter.time.length, high = Math.max(0, counter.max), whole = high - Math.min(0, counter.min);
  let i = Math.max(0, above(counter.time, view.t0) - 1);
  g.fillStyle = activityColour('device'); g.globalAlpha = 0.65;
  for (; i < n && counter.time[i] < view.t1; ++i) {
    const x0 = Math.max(NAMES, toX(counter.time[i])), x1 = Math.min(width, toX(i + 1 < n ? counter.time[i + 1] : length));
    const tall = whole ? h * counter.value[i] / whole : 0;
    g.fillRect(x0, counter.y + h * (whole ? high / whole : 1) - tall, Math.max(0.7, x1 - x0), tall);
  }
  g.globalAlpha = 1;
  g.fillStyle = theme.bg; g.fillRect(0, counter.y, NAMES, h);
  g.fillStyle = theme.fg; g.fillText(counterName(counter, Math.floor((NAMES - 8) / 6.2)), 8, counter.y + 14);
  const said = (value) => counter.unit === 'B' || counter.unit.toLowerCase() === 'bytes' ? bytesText(value) : Number.isInteger(value) ? count(value) : digits(value);
  g.fillStyle = theme.muted; g.fillText((counter.min < 0 ? said(counter.min) + ' ' : '') + 'up to ' + said(counter.max), 8, counter.y + 28);
}

/** Where a lane was sampled: below its rows, the higher the more samples a column has. */
export function drawSampled(g, lane) {
  const {time: times, count: counts, most} = lane.sampled, room = order.length > 48 ? 2 : GAP - 1;
  g.fillStyle = theme.fg; g.globalAlpha = 0.7;
  for (let i = 0; i < times.length; ++i) {
    const h = room === 2 ? 2 : 2 + (room - 2) * counts[i] / most;
    g.fillRect(toX(times[i]), lane.y + lane.height + room - h, 1, h);
  }
  g.globalAlpha = 1;
}

/** @typedef {{begin: number, step: number, count: number, times: Record<string, number[]>, threads: number}} Activity how long so many threads did what, by interval of `step` ns */

/** Each interval as a stack: of the height that all threads have, the share of those that did it. What is left is without a region. @param {any} g @param {Activity} of */
export function drawActivity(g, of, y, h, t0, t1, x0, pixels) {
  const perPixel = (t1 - t0) / pixels, whole = of.step * of.threads;
  for (let i = Math.max(0, Math.floor((t0 - of.begin) / of.step)); i < of.count && of.begin + i * of.step < t1; ++i) {
    const from = (of.begin + i * of.step - t0) / perPixel, left = Math.max(0, from), right = Math.min(pixels, from + of.step / perPixel);
    let bottom = y + h;
    for (const name of activities) {
      const ns = of.times[name] ? of.times[name][i] : 0;
      if (!ns) continue;
      const tall = h * Math.min(1, ns / whole);
      bottom -= tall;
      g.fillStyle = activityColour(name);
      g.fillRect(x0 + left, bottom, right - left, tall);
    }
  }
}
/** What they did at a time, in lines; null: nothing is known of it. @param {string} name of the process @param {Activity} of @param {number} t @returns {any[][] | null} */
export function describeActivity(name, of, t) {
  const i = Math.floor((t - of.begin) / of.step);
  if (i < 0 || i >= of.count) return null;
  const did = activities.filter((one) => of.times[one] && of.times[one][i]);
  return [[tag('b', {}, `${name}: ${count(of.threads)} threads`)], ...did.map((one) => [`${activityNames[one]}: ${digits(of.times[one][i] / of.step)} of them`]), [`on average in ${time(of.step)} from ${axisTime(of.begin + i * of.step, of.step)} on`]];
}
