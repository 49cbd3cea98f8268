// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What is beside the regions: arrows, the critical path, counters, samples, of what is in view.
import {$} from './dom.js';
import {also, ask, refresh} from './live.js';
import {listOf, threadsIn} from './lookup.js';
import {count} from './numbers.js';
import {lanes, meta, nameCounters, sides} from './trace.js';
import {hasSummary, layout, redraw, shownFor, width} from './timeline.js';

/** What the server has: it makes them while the page is used. @type {{ready: boolean, share: number, failure: string, samples: boolean, countersLeftOut: number}} */
export const extra = {ready: false, share: 0, failure: '', samples: false, countersLeftOut: 0};
const usualMost = 500;

/** Which trace has none of it, and why, stays there. @param {string} text */
function noteArrows(text) {
  const whole = [extra.failure, text].filter(Boolean).join('; ');
  if (meta.arrowsNote !== whole) { meta.arrowsNote = whole; redraw(); }
}
/** Asks until it is there. @param {() => void} then is called once the server says what there is, and once all is there */
export async function watch(then, wait = 100) {
  const answer = await ask('extra', {});
  if (!answer) return;
  const isFirst = wait === 100;
  Object.assign(extra, {ready: answer.ready, share: answer.share, failure: answer.failure, samples: answer.samples, countersLeftOut: answer.countersLeftOut});
  if (!extra.ready) noteArrows(`arrows, critical path: ${Math.floor(100 * extra.share)} % read`);
  if (extra.ready) {
    noteArrows('');
    meta.counters = answer.counters.map((one, series) => ({...one, series, time: new Float64Array(0), value: [], y: 0}));
    nameCounters(meta.counters);
    layout();
    refresh();
  }
  if (isFirst || extra.ready) then();
  if (!extra.ready) setTimeout(() => watch(then, Math.min(2000, 1.5 * wait)), wait);
}
/** Both ends of an arrow are on lanes that are shown, or stand for them. */
const lanesOfArrows = () => lanes.filter((lane) => !shownFor(lane).hidden).map((lane) => lane.index);
async function loadLinks(from, to, signal) {
  if (!$('arrows').checked) return;
  const of = lanesOfArrows();
  if (!of.length) return;
  const answer = await ask('links', {from, to, most: usualMost, ...(of.length < lanes.length ? {lanes: listOf(of)} : {})}, signal);
  if (!answer) return;
  meta.arrows = answer.links;
  noteArrows(answer.more ? `arrows: the ${count(answer.links.length)} longest of ${answer.exact ? '' : 'about '}${count(answer.links.length + answer.more)}` : '');
  redraw();
}
async function loadPath(from, to, signal) {
  if (!$('path').checked) return;
  const answer = await ask('path', {from, to, width: Math.max(100, Math.round(2 * width))}, signal);
  if (!answer) return;
  sides.forEach((side, i) => { side.path = answer.sides[i]; });
  redraw();
}
async function loadCounters(from, to, signal) {
  const top = $('scroller').scrollTop, bottom = top + $('scroller').clientHeight;
  const seen = meta.counters.filter((counter) => counter.y <= bottom + 100 && counter.y >= top - 100);
  if (!seen.length) return;
  const answer = await ask('counters', {from, to, width: Math.max(100, Math.round(2 * width)), series: listOf(seen.map((counter) => counter.series))}, signal);
  if (!answer) return;
  for (const one of answer.counters) Object.assign(meta.counters[one.series], {time: Float64Array.from(one.time), value: one.value});
  redraw();
}
async function loadSamples(from, to, visible, signal) {
  if (!extra.samples || !visible.length) return;
  const answer = await ask('samples', {from, to, width: Math.max(100, Math.round(2 * width)), lanes: listOf(visible.map((lane) => lane.index))}, signal);
  if (!answer) return;
  for (const one of answer.lanes) lanes[one.lane].sampled = {time: Float64Array.from(one.time), count: one.count, most: Math.max(1, ...one.count)};
  redraw();
}
/** What the threads of folded processes do together. */
async function loadActivity(from, to, visible, signal) {
  const byNumber = new Map(visible.filter(hasSummary).map((lane) => [lane.side.process + lane.owner.process, lane]));
  if (!byNumber.size) return;
  const answer = await ask('activity', {from, to, width: Math.max(100, Math.round(2 * width)), processes: listOf([...byNumber.keys()])}, signal);
  if (!answer) return;
  for (const one of answer.rows) {
    const lane = byNumber.get(one.process);
    lane.activity = {...one, threads: threadsIn(lane.owner.threads.map((i) => lanes[lane.side.location + i]))};
  }
  redraw();
}
also.push((from, to, visible, signal) => {
  loadSamples(from, to, visible, signal);
  loadActivity(from, to, visible, signal);
  if (!extra.ready) return;
  loadLinks(from, to, signal);
  loadPath(from, to, signal);
  loadCounters(from, to, signal);
});
