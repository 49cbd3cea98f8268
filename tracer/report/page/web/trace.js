// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What the page knows: the traces, one or those before and after, and their slices.
import {$} from './dom.js';
import {bytesOf, decodeRow, integersOf} from './rows.js';

/** As html.cpp writes it. @type {any} */
export const meta = JSON.parse($('meta').textContent);
export const sides = meta.sides, compared = sides.length > 1;
/** Whose tables are shown. */
export let side = sides[0], report = side.report;
/** @param {any} one of the sides */
export function setSide(one) { side = one; report = one.report; }
const sideOf = (location) => compared && location >= sides[1].location ? sides[1] : sides[0];
/** Pixels: of the time axis, of a row, between lanes, of a counter. */
export const AXIS = 22, ROW = 15, GAP = 7, COUNTER = 34;

export const activities = ['work', 'barrier', 'task_wait', 'lock_wait', 'runtime', 'device', 'mpi', 'idle'];

/** Per location and depth: a row of slices. */
function decode() {
  const number = integersOf(bytesOf($('slices').textContent));
  $('slices').textContent = '';
  const owners = new Map(sides.map((of) => [of, new Map(of.report.processes.map((process) => [process.process, process]))]));
  const lanes = meta.locations.map((location, index) => {
    const of = sideOf(index);
    const several = of.report.processes.length > 1, owner = owners.get(of).get(location.process) || null;
    const own = several && owner ? `${owner.name}: ${location.name}` : location.name;
    return {...location, name: compared ? `${of.title}: ${own}` : own, side: of, owner, first: !several || !owner || owner.threads[0] === index - of.location, time: {}, index, rows: [], y: 0, height: 0};
  });
  for (const [location, depth, count] of meta.rows) {
    const row = {...decodeRow(number, count, lanes[location].side.name), depth, lane: lanes[location]};
    lanes[location].rows[depth] = row;
  }
  const empty = {begin: new Float64Array(0), end: new Float64Array(0), name: new Uint32Array(0)};
  for (const lane of lanes) for (let d = 0; d < lane.rows.length; ++d) lane.rows[d] ||= {...empty, depth: d, lane};
  return lanes;
}
/** @type {any[]} */
export const lanes = decode();
/** Of counters of one name the lane's name tells which is which: it has the process and the trace. @param {any[]} counters */
export function nameCounters(counters) {
  const times = new Map();
  for (const {name} of counters) times.set(name, (times.get(name) || 0) + 1);
  for (const one of counters) {
    one.metric = one.name;
    if (times.get(one.name) > 1 && lanes[one.lane]) one.name += ', ' + lanes[one.lane].name;
  }
}
nameCounters(meta.counters);
/** Takes over from the reports how long each thread did what. */
export function setTimes() {
  const zeros = Object.fromEntries(activities.map((a) => [a + '_ns', 0]));
  for (const of of sides) for (const row of of.report.threads) {
    row.time = {...zeros, ...row.time};  // zeros are not in the page
    lanes[of.location + row.location].time = row.time;
  }
}
setTimes();

/** The program's phases, a lane per process: from when the first of its threads enters one until none is in it. */
function phaseLanes() {
  /** @type {any[]} */
  const found = [];
  for (const of of sides) for (const [process, depth, name, begin, end] of of.bands) {
    let lane = found.find((l) => l.side === of && l.process === process);
    if (!lane) found.push(lane = {name: 'Phases', side: of, process, bands: true, time: {}, index: lanes.length + found.length, rows: [], y: 0, height: 0});
    while (lane.rows.length <= depth) lane.rows.push({list: [], depth: lane.rows.length, lane});
    lane.rows[depth].list.push([begin, end, name]);
  }
  for (const lane of found) {
    if (compared) lane.name = `${lane.side.title}: ${lane.name}`;
    if (lane.side.processes.length > 1) lane.name += ', ' + lane.side.processes[lane.process];
    for (const row of lane.rows) {
      row.begin = Float64Array.from(row.list, (band) => band[0]); row.end = Float64Array.from(row.list, (band) => band[1]); row.name = Uint32Array.from(row.list, (band) => band[2]);
    }
  }
  return found;
}
/** @type {any[]} */
export let bandLanes = [];
/** Makes them of what the traces have. */
export function setBands() { bandLanes = phaseLanes(); }
setBands();
export const length = Math.max(1, meta.length);
export const several = sides.some((one) => one.report.processes.length > 1);
