// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Slices from the server: what is in view, as fine as it is drawn.
import {$} from './dom.js';
import {listOf, placeOf, rowOf, sliceOf, threadsIn} from './lookup.js';
import {lanes, length, side, sides} from './trace.js';
import {drawOverview, order, redraw, selected, selections, setSelected, view, width} from './timeline.js';

/** For tests: how many answers came, how many are open, and what the last failure was. */
export const live = {answers: 0, open: 0, failure: ''};
/** Why there is no answer; the HTTP library refuses without a reason. @param {Response} answer */
async function refusalOf(answer) {
  const {error} = await answer.json().catch(() => ({error: ''}));
  return error || `The server refuses this: ${answer.status} ${answer.statusText}`;
}
/** The server's answer; null where there is none, which is shown. @param {string} route @param {Record<string, string | number>} words @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(route, words, signal) {
  ++live.open;
  try {
    const answer = await fetch('api/' + route + '?' + new URLSearchParams(Object.entries(words).map(([name, value]) => [name, String(value)])), {signal, credentials: 'same-origin'});
    if (answer.status === 401) throw new TypeError('another one has the port now');
    if (!answer.ok) throw new Error(await refusalOf(answer));
    const body = await answer.json();
    live.failure = '';
    ++live.answers;
    return body;
  } catch (error) {
    if (signal && signal.aborted) return null;
    live.failure = error instanceof TypeError ? 'The server does not answer: tracer view has ended.' : String(/** @type {any} */ (error).message);
    $('found').textContent = live.failure;
    return null;
  } finally { --live.open; }
}
const rowsFrom = (lane, answer) => Array.from({length: Math.max(1, lane.depth)}, (_, depth) => {
  const row = answer.rows[depth] || {begin: [], end: [], name: []};
  return {begin: Float64Array.from(row.begin), end: Float64Array.from(row.end), name: Uint32Array.from(row.name), count: row.count, exact: answer.exact, merged: answer.merged, depth, lane};
});
/** Before the first answer each lane has the rows that it will have. */
export function prepareRows() {
  for (const lane of lanes) lane.rows = rowsFrom(lane, {rows: []});
}
/** What the selection was is looked up in the new slices: by its begin. Where it is not among them, it stays as it was. */
function keepSelection(lane, before) {
  if (!selected || selected.row.lane !== lane) return;
  const row = lane.rows[selected.row.depth], index = placeOf(row, sliceOf({row: before, index: selected.index}));
  if (index >= 0) setSelected({row, index}, true);
}
function take(answer) {
  for (const one of answer.lanes) {
    const lane = lanes[one.lane], before = selected && selected.row.lane === lane ? selected.row : null;
    lane.rows = rowsFrom(lane, one);
    lane.exact = one.exact;
    lane.events = one.events;
    if (before) keepSelection(lane, before);
  }
  selectAwaited();
  redraw();
}
/** @type {any} */
let awaited = null;
/** What is selected once it is there; nothing any more once something else was selected, or nothing. */
function stillAwaited() {
  if (awaited && awaited.since !== selections) awaited = null;
  return awaited;
}
/** Where the lane's row has it in a sum, it is selected in a row of its own, until rows come that have it. */
function selectAwaited() {
  const wanted = stillAwaited(), lane = wanted && lanes[wanted.lane], row = wanted && lane.rows[wanted.depth];
  if (!row) return;
  const index = placeOf(row, wanted.what);
  if (index < 0 && row.exact !== false && !row.merged) return;
  awaited = null;
  wanted.then(index < 0 ? {row: rowOf(wanted.what, wanted.depth, lane), index: 0} : {row, index});
}
/** Selects the slice that begins there, as soon as it is there. */
export function selectAt(lane, depth, what, then) {
  awaited = {lane, depth, what, then, since: selections};
  selectAwaited();
  if (awaited) refresh();  // its lane may be out of sight
}
/** What else is loaded of what is in view. @type {((from: number, to: number, visible: any[], signal: AbortSignal) => void)[]} */
export const also = [];
/** What is asked for now, and whether something else is to be asked for when its answer is there. @type {{stop: AbortController, from: number, to: number} | null} */
let running = null;
let timer = 0, again = false;
/** While the view moves on and on, too, what it passes is asked for. */
export function refresh() { if (!timer) timer = window.setTimeout(load, 25); }
/** Whether what is asked for has something of what is in view, about as fine. */
function isOfView() {
  if (!running) return false;
  const span = view.t1 - view.t0, asked = (running.to - running.from) / 2, most = 2;
  return running.from < view.t1 && running.to > view.t0 && span < most * asked && asked < most * span;
}
async function load() {
  timer = 0;
  if (running && isOfView()) { again = true; return; }
  const top = $('scroller').scrollTop, bottom = top + $('scroller').clientHeight, most = 256;
  const visible = order.filter((lane) => !lane.bands && lane.y + lane.height >= top - 200 && lane.y <= bottom + 200).slice(0, most);
  const wanted = stillAwaited();
  if (wanted && !visible.includes(lanes[wanted.lane])) visible.push(lanes[wanted.lane]);
  if (!visible.length) return;
  if (running) running.stop.abort();
  const span = view.t1 - view.t0, from = Math.max(0, Math.floor(view.t0 - span / 2)), to = Math.max(from + 1, Math.min(Math.ceil(view.t1 + span / 2), Math.ceil(length)));
  const mine = running = {stop: new AbortController(), from, to}, signal = mine.stop.signal;
  again = false;
  for (const one of also) one(from, to, visible, signal);
  const answer = await ask('window', {from, to, width: Math.max(100, Math.round(2 * width)), lanes: listOf(visible.map((lane) => lane.index))}, signal);
  if (answer) take(answer);
  if (running !== mine) return;
  running = null;
  if (again) load();
}
/** The whole run: where there are very many lanes, what all threads do together. */
export async function loadOverview() {
  const most = 64, whole = {from: 0, to: Math.ceil(length), width: Math.max(100, width)};
  for (const lane of lanes) lane.overview = [];
  const answer = await (lanes.length > most ? ask('activity', whole) : ask('window', {...whole, lanes: listOf(lanes.map((lane) => lane.index))}));
  if (!answer) return;
  for (const one of answer.rows || []) sides[one.side].activity = {...one, threads: threadsIn(lanes.filter((lane) => lane.side === sides[one.side]))};
  for (const one of answer.lanes || []) lanes[one.lane].overview = rowsFrom(lanes[one.lane], one);
  drawOverview();
  redraw();
}
/** Of the side whose tables are shown, the lanes that are. */
export const lanesShown = () => order.filter((lane) => !lane.bands && lane.side === side).map((lane) => lane.index);
export const isCompared = () => sides.length > 1;
