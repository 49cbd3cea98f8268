// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tables below the timeline: what is measured or in view, and all of what is selected.
import {remember} from './address.js';
import {activityColour} from './colours.js';
import {$, note, tag} from './dom.js';
import {goTo} from './finding.js';
import {ask, lanesShown, listOf} from './live.js';
import {axisTime, bytesText, count, percent, time} from './numbers.js';
import {compared, meta, setSide, side, sides} from './trace.js';
import {range, selected, view} from './timeline.js';

export let current = 'In view';
export const tabNames = () => ['In view', 'Details', 'Trace'];
/** The last statistics, for tests. @type {any} */
export let statistics = null;

const table = (heads, rows) => tag('div', {class: 'wide'}, tag('table', {}, tag('thead', {}, tag('tr', {}, heads.map(([name, isNumber]) => tag('th', {class: isNumber ? 'n' : ''}, name)))),
  tag('tbody', {}, rows.map((row) => tag('tr', {}, row.map((cell, i) => tag('td', {class: heads[i][1] ? 'n' : ''}, cell)))))));

let asked = 0;
async function showStatistics() {
  const [begin, end] = range || [view.t0, view.t1], from = Math.max(0, Math.round(begin)), to = Math.round(end), number = ++asked;
  if (to <= from) return;
  const list = listOf(lanesShown());
  if (!list) return;
  const answer = await ask('statistics', {from, to, lanes: list});
  if (!answer || number !== asked || current !== 'In view') return;
  statistics = answer;
  const whole = answer.rows.reduce((sum, row) => sum + row.own, 0), most = 300;
  $('panel').replaceChildren(
    note(`${range ? 'Measured' : 'In view'}: ${time(to - from)} from ${axisTime(from, 1)}, on ${count(answer.lanes)} threads and streams. Time in each region itself, without the regions inside of it. Exact, at any zoom.`),
    table([['region'], ['time', true], ['share', true], ['times begun', true], ['with what is inside', true]], answer.rows.slice(0, most).map((row) => [
      [tag('span', {class: 'swatch', style: `background:${activityColour(meta.activities[row.name])}`}), tag('a', {href: '#', 'data-go': meta.names[row.name]}, meta.names[row.name])], time(row.own), percent(row.own, whole), count(row.count), time(row.inclusive)])),
    answer.rows.length > most ? note(`... and ${count(answer.rows.length - most)} more`) : '');
}
const fieldText = (name, value) => name === 'bytes' ? bytesText(value) : String(value);
async function showDetails() {
  if (!selected) { $('panel').replaceChildren(note('Select a slice: click it, or press Shift and an arrow key.')); return; }
  const {row, index} = selected, number = ++asked;
  const answer = await ask('at', {lane: row.lane.index, time: Math.round(row.begin[index])});
  if (!answer || number !== asked || current !== 'Details') return;
  $('panel').replaceChildren(tag('h2', {}, `Open at ${axisTime(answer.time, 1)} on ${row.lane.name}`),
    table([['depth', true], ['region'], ['from', true], ['to', true], ['duration', true], ['']], answer.open.map((one) => [one.depth, [meta.names[one.name], meta.sources[one.name] ? tag('div', {class: 'muted'}, meta.sources[one.name]) : ''],
      axisTime(one.begin, 1), axisTime(one.end, 1), time(one.end - one.begin), one.continues ? 'its task goes on' : ''])),
    tag('h2', {}, 'Events from then on'),
    table([['time', true], ['event'], ['what']], answer.events.map((one) => [axisTime(one.time, 1), one.type, Object.entries(one.what).map(([name, value]) => tag('div', {}, `${name}: ${fieldText(name, value)}`))])));
}
function showTrace() {
  $('panel').replaceChildren(...sides.map((of) => tag('section', {}, tag('h2', {}, of.title), table([['', false], ['', false]], Object.entries(of.facts).map(([name, value]) => [name, String(value)])))));
}
export function showTab(name) {
  current = tabNames().includes(name) ? name : 'In view';
  $('tabs').replaceChildren(...tabNames().map((one) => { const button = tag('button', {role: 'tab', 'aria-selected': String(one === current), 'aria-controls': 'panel'}, one); button.onclick = () => showTab(one); return button; }));
  $('sides').replaceChildren(...(compared ? sides.map((one) => { const button = tag('button', {'aria-pressed': String(one === side)}, one.title); button.onclick = () => showSide(one); return button; }) : []));
  updatePanel();
  remember();
}
/** What the panel shows has changed. */
export function updatePanel() { if (current === 'In view') showStatistics(); else if (current === 'Details') showDetails(); else showTrace(); }
export function showSide(one) { setSide(one); showTab(current); }
$('panel').addEventListener('click', (e) => { const name = e.target.dataset && e.target.dataset.go; if (name !== undefined) { e.preventDefault(); goTo(name); } });
