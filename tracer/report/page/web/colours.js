// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// One colour for each meaning, everywhere; told apart also by those who see no red and green (Okabe and Ito's palette).
import {tag} from './dom.js';
import {namesAfter} from './rows.js';
import {meta, sides} from './trace.js';

export const activityNames = {work: 'work', barrier: 'barrier', task_wait: 'taskwait', lock_wait: 'locks', runtime: 'runtime', device: 'waiting for devices', mpi: 'MPI', idle: 'idle', not_recorded: 'not recorded'};
export let dark = false;
/** @param {boolean} is */
export function setDark(is) { dark = is; }
/** Of an activity. @param {string} name @returns {string} */
export function activityColour(name) {
  return {work: dark ? '#4a86e8' : '#7db4e6', barrier: '#d55e00', task_wait: '#e69f00', lock_wait: '#cc79a7', runtime: dark ? '#d8d2c4' : '#57524a', device: '#009e73', mpi: dark ? '#7818f0' : '#6030f0', idle: dark ? '#3a404a' : '#dfe3e8', not_recorded: dark ? '#20252c' : '#f1f3f6'}[name];
}
/** As CSS has it: what was not recorded is hatched, as it is in the timeline. @param {string} name */
export const activityBackground = (name) => name === 'not_recorded' ? `repeating-linear-gradient(135deg, var(--muted) 0 1px, ${activityColour(name)} 1px 4px)` : activityColour(name);
/** Of the account's places. @type {Record<string, string>} */
export const placeNames = {work: 'work in parallel regions', serial: 'serial work', serial_idle: 'idle while the program is serial', imbalance: 'imbalance: waiting at barriers', starvation: 'starving for tasks', detached: 'waiting for events of detached tasks', tasking: 'creating and scheduling tasks', team: 'start and join of teams',
  locks: 'waiting for locks', exclusive: 'waiting for critical, atomic, ordered', device: 'waiting for devices', device_idle: 'idle while one thread waits for a device', mpi: 'inside MPI', mpi_idle: 'idle while one thread is in MPI', unused: 'not in the team', tool: 'the tool itself', descheduled: 'without a processor', absent: 'not there yet, or ended', unknown: 'unknown'};
/** The colour of the activity that a place is a part of. @param {string} place @returns {string} */
export function placeColour(place) {
  const activity = {work: 'work', imbalance: 'barrier', starvation: 'task_wait', detached: 'task_wait', locks: 'lock_wait', exclusive: 'lock_wait', device: 'device', mpi: 'mpi', tasking: 'runtime', team: 'runtime'}[place];
  return activity ? activityColour(activity) : {serial: dark ? '#2f6ea8' : '#4a8fd0', mpi_idle: dark ? '#41307a' : '#cfc4f7', device_idle: dark ? '#1f5c4a' : '#bfe6d9', tool: '#000000', descheduled: '#6b4c9a'}[place] || activityColour('idle');
}
/** @param {number} index of its name */
export const phaseColour = (index) => { let hash = 7; for (const c of meta.names[index]) hash = (hash * 31 + c.charCodeAt(0)) >>> 0; return `hsl(${hash % 360} 60% ${dark ? 45 : 60}%)`; };
/** By name: of slices, and of the text on them. @type {string[]} */
export let colours = [], inks = [];
/** @param {string} colour "#rrggbb" or "hsl(...)" */
export function inkOn(colour) {
  if (!colour.startsWith('#')) return dark ? '#f2f5f9' : '#101418';
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b > 120 ? '#101418' : '#f2f5f9';
}
/** The lines over what was not recorded. @type {CanvasPattern | null} */
export let hatching = null;
function makeHatching() {
  const size = 6, tile = tag('canvas', {width: size, height: size}), g = tile.getContext('2d');
  g.strokeStyle = dark ? '#5f6875' : '#a4adb9';
  for (const x of [-size, 0, size]) { g.beginPath(); g.moveTo(x, size); g.lineTo(x + size, 0); g.stroke(); }
  return g.createPattern(tile, 'repeat');
}
export function makeColours() {
  hatching = makeHatching();
  const after = namesAfter(meta.diff ? meta.diff.constructs : []);
  colours = meta.names.map((/** @type {string} */ own, /** @type {number} */ i) => {
    const activity = meta.activities[i], name = meta.diff && i < sides[1].name && after.get(own) || own;  // as in the other trace
    if (name === 'many short ones') return dark ? '#59616d' : '#a9b1bd';
    if (activity !== 'work') return activityColour(activity);
    let hash = 0;
    for (let k = 0; k < name.length; ++k) hash = (hash * 31 + name.charCodeAt(k)) >>> 0;
    return `hsl(${200 + hash % 36} ${48 + (hash >> 8) % 40}% ${(dark ? 36 : 62) + (hash >> 16) % 18}%)`;  // shades of blue: work
  });
  inks = colours.map(inkOn);
}
