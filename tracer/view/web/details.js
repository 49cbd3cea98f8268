// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// All of what is selected: what is open there, what it is linked with, the events that follow, its samples.
import {$, note, tag} from './dom.js';
import {ask, selectAt} from './live.js';
import {select} from './navigation.js';
import {axisTime, bytesText, count, time} from './numbers.js';
import {asked, current, linesTable, nextAsked, plainTable} from './tables.js';
import {lanes, meta} from './trace.js';
import {selected, selections, setView, view} from './timeline.js';

const fieldText = (name, value) => name.startsWith('bytes') ? bytesText(Number(value)) : String(value);
const fields = (what) => Object.entries(what || {}).map(([name, value]) => tag('div', {}, `${name}: ${fieldText(name, value)}`));
/** Whose other side is meant: out, in. @type {Record<string, [string, string]>} */
const linkNames = {launch: ['starts on the device', 'submitted by'], copy: ['copies on the device', 'submitted by'], creation: ['creates a task, which begins', 'its task was created by'], message: ['message, received', 'message, sent'],
  dependence: ['a task that depends on it begins', 'depends on the task that ended'], lock: ['the lock is acquired next', 'the lock was held before, until']};
/** The links of the selected slice, as the server told them. @type {any[]} */
let links = [];
let followed = 0;
/** Goes to what begins there. @param {any} link */
function goToLink(link) {
  const span = view.t1 - view.t0;
  if (link.time < view.t0 || link.time > view.t1) setView(link.time - span / 2, link.time + span / 2);
  if (link.begin !== undefined) selectAt(link.lane, link.depth, link, (what) => select(what, true));
}
const detailsOf = (row, index) => ask('at', {lane: row.lane.index, time: Math.round(row.begin[index]), end: Math.round(row.end[index]), name: row.name[index], depth: row.depth});
/** To the other side of the first link, or of the next one. @param {boolean} next */
export async function follow(next) {
  if (!selected || selected.row.lane.bands) return;
  followed = next ? followed + 1 : 0;
  const since = selections, answer = await detailsOf(selected.row, selected.index);
  if (!answer || since !== selections) return;
  if (answer.links && answer.links.length) goToLink(answer.links[followed % answer.links.length]);
  else $('found').textContent = answer.ready ? 'linked with nothing' : answer.failure || 'not read yet';
}
const linkTo = (link, i) => tag('a', {href: '#', 'data-link': i}, `${lanes[link.lane].name} at ${axisTime(link.time, 1)}`);
function linksPart(answer) {
  if (!answer.ready) return [note(answer.failure || 'What it is linked with is being read.')];
  if (!links.length) return [];
  return [tag('h2', {}, 'Linked with'), plainTable([['what'], ['other side'], ['there'], ['from here to there', true], ['']], links.map((link, i) => [(linkNames[link.kind] || [link.kind, link.kind])[link.out ? 0 : 1], linkTo(link, i),
    link.name === undefined ? '' : [meta.names[link.name], meta.sources[link.name] ? tag('div', {class: 'muted'}, meta.sources[link.name]) : ''], time(link.out ? link.time - link.here : link.here - link.time), fields(link.what)])),
  answer.exact ? '' : note(answer.linksLeftOut ? `... and ${count(answer.linksLeftOut)} more` : 'Others may be left out: select a shorter slice.')];
}
export async function showDetails() {
  if (!selected) { $('panel').replaceChildren(note('Select a slice: click it, or press Shift and an arrow key.')); return; }
  const {row, index} = selected, number = nextAsked();
  if (row.lane.bands) { $('panel').replaceChildren(note('Of a phase: see the tab Phases.')); return; }
  const answer = await detailsOf(row, index);
  if (!answer || number !== asked || current !== 'Details') return;
  links = answer.links || [];
  const team = answer.team ? [note(`In ${answer.team.name}${answer.team.threads ? `, of ${count(answer.team.threads)} threads` : ''}.`)] : [];
  const samples = answer.samples && answer.samples.all ? [tag('h2', {}, `${count(answer.samples.all)} samples in it`), linesTable(answer.samples.lines, answer.samples.all)] : [];
  $('panel').replaceChildren(tag('h2', {}, `Open at ${axisTime(answer.time, 1)} on ${row.lane.name}`), ...team,
    plainTable([['region'], ['depth', true], ['from', true], ['to', true], ['duration', true], ['']], answer.open.map((one) => [[meta.names[one.name], meta.sources[one.name] ? tag('div', {class: 'muted'}, meta.sources[one.name]) : ''], one.depth,
      axisTime(one.begin, 1), axisTime(one.end, 1), time(one.end - one.begin), one.continues ? 'its task goes on' : ''])),
    ...linksPart(answer), ...samples, tag('h2', {}, 'Events from then on'),
    plainTable([['event'], ['time', true], ['what']], answer.events.map((one) => [one.type, axisTime(one.time, 1), fields(one.what)])));
}
$('panel').addEventListener('click', (e) => {
  const link = e.target.dataset && links[e.target.dataset.link];
  if (link) { e.preventDefault(); goToLink(link); }
});
