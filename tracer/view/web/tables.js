// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tables below the timeline: what is measured or in view, and all of what is selected.
import {remember} from './address.js';
import {activityBackground} from './colours.js';
import {showDetails} from './details.js';
import {$, note, tag, warning} from './dom.js';
import {extra} from './extra.js';
import {ask, lanesShown} from './live.js';
import {listOf} from './lookup.js';
import {axisTime, count, percent, time} from './numbers.js';
import {link, panelNames, panels} from './panels.js';
import {askReport, reporting} from './reporting.js';
import {startSamples, updateSamples} from './samples.js';
import {showSides, showTabs} from './tabs.js';
import {drawGraph} from './task_graph.js';
import {compared, meta, setSide, side, sides} from './trace.js';
import {range, view} from './timeline.js';

export let current = 'In view';
/** Of a tab that is not there yet, as a bookmark has it. */
let awaitedTab = '';
/** Those of the report; its tab of samples has a name of its own here. */
const reportTabs = () => reporting.ready ? panelNames().filter((name) => name !== 'In view' && name !== 'Trace').map((name) => name === 'Samples' ? 'Flame graph' : name) : ['Summary'];
export const tabNames = () => ['In view', 'Details', ...(extra.samples ? ['Samples'] : []), ...reportTabs(), 'Trace'];
/** The last statistics, for tests. @type {any} */
export let statistics = null;

export const plainTable = (heads, rows) => tag('div', {class: 'wide'}, tag('table', {}, tag('thead', {}, tag('tr', {}, heads.map(([name, isNumber]) => tag('th', {class: isNumber ? 'n' : ''}, name)))),
  tag('tbody', {}, rows.map((row) => tag('tr', {}, row.map((cell, i) => tag('td', {class: heads[i][1] ? 'n' : ''}, cell)))))));

/** The number of what was asked last: an answer to what was asked before is too late. */
export let asked = 0;
export const nextAsked = () => ++asked;
async function showStatistics() {
  const [begin, end] = range || [view.t0, view.t1], from = Math.max(0, Math.round(begin)), to = Math.round(end), number = nextAsked();
  if (to <= from) return;
  const list = listOf(lanesShown());
  if (!list) return;
  const answer = await ask('statistics', {from, to, lanes: list});
  if (!answer || number !== asked || current !== 'In view') return;
  statistics = answer;
  const whole = answer.rows.reduce((sum, row) => sum + row.own, 0), most = 300;
  $('panel').replaceChildren(
    note(`${range ? 'Measured' : 'In view'}: ${time(to - from)} from ${axisTime(from, 1)}, on ${count(answer.lanes)} threads and streams. Time in each region itself, without the regions inside of it. Exact, at any zoom.`),
    plainTable([['region'], ['time', true], ['share', true], ['times begun', true], ['with what is inside', true]], answer.rows.slice(0, most).map((row) => [
      [tag('span', {class: 'swatch', style: `background:${activityBackground(meta.activities[row.name])}`}), link(meta.names[row.name])], time(row.own), percent(row.own, whole), count(row.count), time(row.inclusive)])),
    answer.rows.length > most ? note(`... and ${count(answer.rows.length - most)} more`) : '');
}
/** Lines of the program by their samples. */
export const linesTable = (lines, all) => plainTable([['function'], ['line'], ['samples', true], ['share', true]], lines.map((one) => [one.function, one.file ? `${one.file.split('/').pop()}${one.line ? ':' + one.line : ''}` : '', count(one.count), percent(one.count, all)]));
async function showSamples() {
  const [begin, end] = range || [view.t0, view.t1], from = Math.max(0, Math.round(begin)), to = Math.round(end), number = nextAsked(), list = listOf(lanesShown());
  if (to <= from || !list) return;
  const answer = await ask('functions', {from, to, lanes: list});
  if (!answer || number !== asked || current !== 'Samples') return;
  $('panel').replaceChildren(note(`${range ? 'Measured' : 'In view'}: ${count(answer.samples)} samples in ${time(to - from)}, one in each ${time(answer.period)} of processor time. Where the program's own code was.`), linesTable(answer.rows, answer.samples),
    answer.leftOut ? note(`... and ${count(answer.leftOut)} more`) : '');
}
function showTrace() {
  $('panel').replaceChildren(...sides.map((of) => tag('section', {}, tag('h2', {}, of.title), of.notes.map((text) => warning(text)), plainTable([['', false], ['', false]], Object.entries(of.facts).map(([name, value]) => [name, String(value)])))),
    ...(reporting.ready ? panels.Trace() : []));
}
/** A tab of the report, or how far that is. */
function showReport() {
  if (!reporting.ready) {
    $('panel').replaceChildren(note(reporting.failure || `The report is being made: ${Math.floor(100 * reporting.share)} % read.`));
    return;
  }
  $('panel').replaceChildren(...panels[current === 'Flame graph' ? 'Samples' : current]());
  if (current === 'Tasks') drawGraph();
  if (current === 'Flame graph') startSamples();
}
/** What the server has made meanwhile may have tabs of its own. */
export function tabsChanged() { showTab(awaitedTab || current); }
export function showTab(name) {
  awaitedTab = tabNames().includes(name) ? '' : name;
  current = awaitedTab ? 'In view' : name;
  showTabs(tabNames(), current, showTab);
  showSides(compared ? sides.map((one) => one.title) : [], sides.indexOf(side), (i) => showSide(sides[i]));
  if (awaitedTab && awaitedTab !== 'Samples' || reportTabs().includes(current)) askReport(tabsChanged);
  if (current === 'Trace') showTrace();
  else if (reportTabs().includes(current)) showReport();
  else updatePanel();
  remember();
}
/** What is in view, measured or selected has changed. */
export function updatePanel() {
  if (current === 'In view') showStatistics();
  else if (current === 'Details') showDetails();
  else if (current === 'Samples') showSamples();
  else if (current === 'Flame graph') updateSamples();
}
export function showSide(one) { setSide(one); showTab(current); }
