// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Finding regions by name, in all of the trace: the server looks for them.
import {remember} from './address.js';
import {$} from './dom.js';
import {ask, lanesShown, listOf, selectAt} from './live.js';
import {select} from './navigation.js';
import {axisTime, count} from './numbers.js';
import {lanes, meta, side} from './trace.js';
import {redraw, selected, setMatches, setView, view} from './timeline.js';

export const isWithin = (_lane, _begin, _end) => true;
let sought = '';
/** Marks regions of that name; returns how many names there are. @param {string} text */
export function search(text) {
  const what = text.trim().toLowerCase();
  sought = what;
  const found = new Set();
  if (what) meta.names.forEach((name, i) => { if (name.toLowerCase().includes(what)) found.add(i); });
  setMatches(what ? found : null, null);
  $('found').textContent = what ? (found.size ? `${count(found.size)} region${found.size > 1 ? 's' : ''}` : 'no region has that name') : '';
  remember();
  redraw();
  return found.size;
}
/** Goes to the next time, or the one before, at which such a region begins. @param {number} by */
export function step(by) {
  if (!sought) return false;
  const middle = (view.t0 + view.t1) / 2, at = selected ? selected.row.begin[selected.index] : by > 0 ? Math.max(-1, view.t0) : middle;
  go(by, Math.round(at));
  return true;
}
async function go(by, at) {
  const answer = await ask('search', {text: sought, [by > 0 ? 'after' : 'before']: Math.max(0, at), first: at < 0 ? 1 : 0, lanes: listOf(lanesShown())});
  if (!answer) return;
  if (answer.lane === undefined) { $('found').textContent = by > 0 ? 'none behind this' : 'none before this'; return; }
  $('found').textContent = `at ${axisTime(answer.time, 1)}`;
  const wide = Math.max(20, 40 * (answer.end - answer.time)), span = Math.min(view.t1 - view.t0, wide);
  const seen = answer.time >= view.t0 && answer.end <= view.t1 && span === view.t1 - view.t0;
  if (!seen) { const middle = (answer.time + Math.min(answer.end, answer.time + span)) / 2; setView(middle - span / 2, middle + span / 2); }
  selectAt(answer.lane, answer.depth, answer.time, (what) => select(what, true));
}
/** To the first slice of a name. @param {string} name */
export function goTo(name) {
  $('search').value = name;
  search(name);
  go(1, -1);
  return lanes.some((lane) => lane.side === side);
}
