// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What is looked up and said by number or name, without the page.
import {above, isSum} from './rows.js';

/** "~" and a digit of base64url for six lanes each, the lowest bit first. @param {number[]} sorted */
function bitsOf(sorted) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', sixes = new Uint8Array(Math.floor(sorted[sorted.length - 1] / 6) + 1);
  for (const one of sorted) sixes[Math.floor(one / 6)] |= 1 << one % 6;
  return '~' + Array.from(sixes, (six) => letters[six]).join('');
}
/** "0-3,7": numbers of lanes. A long list is bits where these are shorter: the server takes no address of more than 8 kB. @param {number[]} numbers */
export function listOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b), parts = [];
  for (let i = 0; i < sorted.length; ++i) {
    const from = sorted[i];
    while (i + 1 < sorted.length && sorted[i + 1] === sorted[i] + 1) ++i;
    parts.push(sorted[i] === from ? `${from}` : `${from}-${sorted[i]}`);
  }
  const list = parts.join(','), bits = list.length > 500 ? bitsOf(sorted) : list;
  return bits.length < list.length ? bits : list;
}

/** @typedef {{begin: number, end: number, name: number, sum?: number}} What what tells a slice from others of its row; sum: it stands for several, of which so many begin in it */

/** Of the slice that begins there; of several, which take no time, the one that fits best. -1: there is none. @param {any} row @param {What} what */
export function placeOf(row, what) {
  const end = above(row.begin, what.begin) - 1;
  let best = -1;
  for (let i = end; i >= 0 && row.begin[i] === what.begin; --i) {
    if (isSum({row, index: i}) !== (what.sum !== undefined)) continue;
    if (row.end[i] === what.end && row.name[i] === what.name) return i;
    if (best < 0 || row.end[i] === what.end) best = i;
  }
  return best;
}

/** @param {any} slice @returns {What} */
export function sliceOf({row, index}) {
  const what = {begin: row.begin[index], end: row.end[index], name: row.name[index]};
  return isSum({row, index}) ? {...what, sum: row.count[index]} : what;
}
/** A row of it alone. @param {What} what @param {number} depth @param {any} lane */
export const rowOf = ({begin, end, name, sum}, depth, lane) => ({begin: Float64Array.of(begin), end: Float64Array.of(end), name: Uint32Array.of(name), count: [sum ?? 1], exact: sum === undefined, depth, lane});

/**
 * Whether a search goes on from what it found last: that is selected, or nothing else was selected since.
 * @param {{text: string, lane: number, begin: number, since: number} | null} last
 * @param {string} text
 * @param {any} selected
 * @param {number} selections how many there were
 */
export function goesOnFrom(last, text, selected, selections) {
  if (!last || last.text !== text) return false;
  return last.since === selections || Boolean(selected) && selected.row.lane.index === last.lane && selected.row.begin[selected.index] === last.begin;
}

/** How many of some lanes are threads that have events: those whose activities are summed up. @param {any[]} some */
export const threadsIn = (some) => some.filter((lane) => !lane.stream && !lane.left_out).length;

/** Of what is typed to be searched for, in small letters, the part that is a region's name: "critical longer than 1 ms", "event:leave". @param {string} typed */
export const nameSought = (typed) => typed.startsWith('event:') ? '' : typed.replace(/(^|\s+)longer than .*$/, '');
