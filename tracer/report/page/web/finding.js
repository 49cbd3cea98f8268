// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Finding things in the timeline by name.
import {remember} from './address.js';
import {$} from './dom.js';
import {select, zoomTo} from './navigation.js';
import {count} from './numbers.js';
import {addTime, holds, parseQuery} from './query.js';
import {lanes, meta, side, sides} from './trace.js';
import {redraw, setMatches, within} from './timeline.js';

export const mostMatches = 100000;  // that can be stepped through; all are counted
let matchList = [], matchAt = -1, matchCount = 0;
/** Of each process, the times of phases whose name has `text` in it. */
function timesOf(text) {
  const times = [];
  for (const side of sides) for (const [process, , name, begin, end] of [...side.bands].sort((a, b) => a[3] - b[3])) {
    if (!meta.names[name].toLowerCase().includes(text)) continue;
    let of = times.find((t) => t.side === side && t.process === process);
    if (!of) times.push(of = {side, process, begin: [], end: []});
    addTime(of, begin, end);
  }
  return times;
}
/** Whether an interval is within the phases that are searched in. */
export const isWithin = (lane, begin, end) => holds(within.find((t) => t.side === lane.side && t.process === lane.process), begin, end);
/** Finds regions by name, as query.js has it; returns how many. @param {string} text */
export function search(text) {
  const {what, phase} = parseQuery(text);
  matchList = []; matchAt = -1; matchCount = 0;
  setMatches(null, null);
  if (text.trim()) {
    const found = new Set();
    meta.names.forEach((name, i) => { if (name.toLowerCase().includes(what)) found.add(i); });
    setMatches(found, phase === undefined ? null : timesOf(phase));
    for (const lane of lanes) for (const row of lane.rows) {
      for (let i = 0; i < row.name.length; ++i) {
        if (!found.has(row.name[i]) || within && !isWithin(lane, row.begin[i], row.end[i])) continue;
        ++matchCount;
        if (matchList.length < mostMatches) matchList.push({row, index: i});
      }
    }
    matchList.sort((a, b) => a.row.begin[a.index] - b.row.begin[b.index]);
  }
  $('found').textContent = text.trim() ? (matchCount ? count(matchCount) + ' found' : 'nothing found') : '';
  remember();
  redraw();
  return matchCount;
}
/** Selects the next match, or another one. False: there is none. @param {number} by */
export function step(by) {
  if (!matchList.length) return false;
  if (matchAt < 0 && by < 0) matchAt = 0;  // the first step back goes to the last one
  matchAt = (matchAt + by + matchList.length) % matchList.length;
  $('found').textContent = `${count(matchAt + 1)} of ${count(matchCount)}` + (matchCount > matchList.length ? `, the first ${count(matchList.length)} in steps` : '');
  select(matchList[matchAt], true);
  return true;
}
/** The longest slice of a name in the trace whose tables are shown: what one wants to see first when coming from one. */
function longest(name) {
  let best = null, most = -1;
  const named = new Set();
  meta.names.forEach((one, index) => { if (one === name) named.add(index); });
  for (const lane of lanes) if (lane.side === side) for (const row of lane.rows) for (let i = 0; i < row.name.length; ++i) {
    if (named.has(row.name[i]) && row.end[i] - row.begin[i] > most) { most = row.end[i] - row.begin[i]; best = {row, index: i}; }
  }
  return best;
}
export function goTo(name) {
  $('search').value = name; search(name);
  const what = longest(name);
  if (what) { zoomTo(what); $('stage').scrollIntoView(); }
  return Boolean(what);
}
