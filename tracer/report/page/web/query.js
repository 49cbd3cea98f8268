// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What is typed into the fields for regions and for threads.
import {above} from './rows.js';

/**
 * "barrier", "barrier in:solve": within phases of such a name, "in:solve": all that is. In small letters.
 * @param {string} text
 * @returns {{what: string, phase: string | undefined}} phase: undefined where none is named
 */
export function parseQuery(text) {
  const [, what, phase] = /** @type {RegExpMatchArray} */ (text.trim().toLowerCase().match(/^(.*?)(?:(?:^|\s)in:(.*))?$/));
  return {what: what.trim(), phase: phase === undefined ? undefined : phase.trim()};
}

/** Parts of names, with commas between them, in small letters. @param {string} text */
export const parseParts = (text) => text.toLowerCase().split(',').map((part) => part.trim()).filter(Boolean);

/** @typedef {{begin: number[], end: number[]}} Times apart from each other, in order */

/** Adds an interval; they come in the order of their begins. @param {Times} times @param {number} begin @param {number} end */
export function addTime(times, begin, end) {
  const last = times.end.length - 1;
  if (last >= 0 && begin <= times.end[last]) times.end[last] = Math.max(times.end[last], end);
  else { times.begin.push(begin); times.end.push(end); }
}

/** Whether one of them holds all of the interval. @param {Times | undefined} times @param {number} begin @param {number} end */
export function holds(times, begin, end) {
  if (!times) return false;
  const i = above(times.begin, begin) - 1;
  return i >= 0 && times.end[i] >= end;
}
