// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Finding regions by name, in all of the trace: the server looks for them.
import {remember} from './address.js';
import {$} from './dom.js';
import {ask, selectAt} from './live.js';
import {goesOnFrom, listOf, nameSought} from './lookup.js';
import {select} from './navigation.js';
import {axisTime, count} from './numbers.js';
import {lanes, meta, side} from './trace.js';
import {redraw, selected, selections, setMatches, setView, view} from './timeline.js';

export const isWithin = (_lane, _begin, _end) => true;
let sought = '';
/** What was found last. @type {any} */
let last = null;
/** Marks regions of that name; returns how many names there are. @param {string} text */
export function search(text) {
  const typed = text.trim().toLowerCase(), what = nameSought(typed);
  sought = typed;
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
  // Of events many may be in the slice that is selected: the search goes on from where it was.
  const isLast = goesOnFrom(last, sought, selected, selections);
  const middle = (view.t0 + view.t1) / 2, at = isLast ? last.time : selected ? selected.row.begin[selected.index] : by > 0 ? Math.max(-1, view.t0) : middle;
  go(by, Math.round(at));
  return true;
}
/** Of the side whose tables are shown, all that have something: those that are folded away or not among the wanted ones, too. */
const lanesSearched = () => lanes.filter((lane) => lane.side === side && !lane.left_out).map((lane) => lane.index);
/** The number of the last search: an answer to the one before, or behind another selection, is too late. */
let searches = 0;
async function go(by, at) {
  const number = ++searches, since = selections, text = sought, list = listOf(lanesSearched());
  let answer = null, from = Math.max(0, at), first = at < 0 ? 1 : 0;
  for (;;) {
    answer = await ask('search', {text, [by > 0 ? 'after' : 'before']: from, first, lanes: list});
    if (!answer || text !== sought || number !== searches || since !== selections) return;
    if (answer.until === undefined) break;
    $('found').textContent = `searched ${by > 0 ? 'up' : 'down'} to ${axisTime(answer.until, 1)} ...`;
    from = answer.until; first = by > 0 ? 1 : 0;
  }
  if (answer.lane === undefined) { $('found').textContent = by > 0 ? 'none behind this' : 'none before this'; return; }
  $('found').textContent = `at ${axisTime(answer.time, 1)}`;
  const wide = Math.max(20, 40 * (answer.end - answer.begin)), span = Math.min(view.t1 - view.t0, wide);
  const seen = answer.time >= view.t0 && answer.end <= view.t1 && span === view.t1 - view.t0;
  if (!seen) { const middle = (answer.time + Math.min(answer.end, answer.time + span)) / 2; setView(middle - span / 2, middle + span / 2); }
  last = {text, time: answer.time, lane: answer.lane, begin: answer.begin, since};
  // Of an event outside of all regions there is no slice.
  if (meta.names[answer.name] !== 'not defined') selectAt(answer.lane, answer.depth, answer, (what) => select(what, true));
}
/** To the first slice of a name. @param {string} name */
export function goTo(name) {
  $('search').value = name;
  search(name);
  go(1, -1);
  return lanes.some((lane) => lane.side === side);
}
