// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The page's start.
import {restore} from './address.js';
import {activityColour} from './colours.js';
import {$} from './dom.js';
import {goTo, mostMatches, search, step} from './finding.js';
import {fold, pin, setTheme} from './keys.js';
import {hit, zoomTo} from './navigation.js';
import {axisTime, count, time} from './numbers.js';
import {inView} from './panels.js';
import {flame, updateSamples} from './samples.js';
import {showSide, showTab} from './tables.js';
import {drawing, filterLanes, foldProcesses, layout, order, range, selected, setRange, setView, sortLanes, view} from './timeline.js';
import {compared, lanes, length, meta, report, side, sides} from './trace.js';

$('title').textContent = (report.trace.program || 'Trace').split('/').pop();
document.title = $('title').textContent + (compared ? ' - Tracer comparison' : ' - Tracer report');
if (compared) showSide(side);
const factsOf = (of) => `${time(of.account.end_ns - of.account.begin_ns)}, ${of.processes.length > 1 ? count(of.processes.length) + ' processes, ' : ''}${count(of.trace.threads)} threads${of.trace.streams ? ', ' + count(of.trace.streams) + ' device streams' : ''}, ${count(of.trace.events)} events`;
const killed = sides.filter((one) => one.report.verdict.state === 'killed');
$('facts').textContent = killed.map((one) => (compared ? one.title + ': ' : '') + one.report.verdict.summary + ' ').join('') + sides.map((one) => (compared ? one.title + ' ' : '') + factsOf(one.report)).join('; ');
if (killed.length) $('facts').className = 'warning';
/** For tests, and for whoever wants to look from the console. */
Object.defineProperty(window, 'tracerReport', {value: {flame, updateSamples, lanes, sides, order: () => order, report: () => report, side: () => side, range: () => range, setRange, inView, sortLanes, filterLanes, showSide, mostMatches, axisTime,
  activityColour, restore, fold, foldProcesses, pin, layout, meta, view, setView, search, step, goTo, zoomTo, setTheme, showTab, hit, selection: () => selected,
  get readyAt() { return drawing.readyAt; }, get drawMs() { return drawing.ms; }, get drawn() { return drawing.lanes; }}});
view.t0 = -length * 0.01; view.t1 = length * 1.01;
setTheme(window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches);
if (lanes.length > 48) for (const lane of lanes) lane.folded = true;  // f unfolds them all
layout();
restore();
