// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The start of the page that tracer view serves.
import {restore} from './address.js';
import {follow} from './details.js';
import {activityColour} from './colours.js';
import {$, tag} from './dom.js';
import {extra, watch} from './extra.js';
import {goTo, search, step} from './finding.js';
import {fold, setTheme} from './keys.js';
import {live, loadOverview, prepareRows, refresh} from './live.js';
import {hit, select, zoomTo} from './navigation.js';
import {count, time} from './numbers.js';
import {askReport, isQuick, reporting} from './reporting.js';
import {flame} from './samples.js';
import {showTab, statistics, tabsChanged} from './tables.js';
import {compared, lanes, length, meta, sides} from './trace.js';
import {canvas, drawing, layout, order, range, redraw, selected, setRange, setView, toX, view, zoom} from './timeline.js';

$('title').textContent = sides.map((one) => one.title).join(' / ');
document.title = $('title').textContent + ' - Tracer view';
$('facts').textContent = sides.map((one) => `${compared ? one.title + ' ' : ''}${time(one.length)}, ${count(one.locations)} threads and streams, ${count(one.events)} events`).join('; ');
/** What a trace lacks is in the tab Trace. */
if (sides.some((one) => one.notes.length)) {
  $('facts').textContent += '; not all is there (see Trace)';
  $('facts').className = 'warning';
}
/** Drawn from now on or not: what is in view is asked for. */
for (const id of ['path', 'arrows']) $(id).onchange = () => { redraw(); refresh(); };
for (const [key, what] of [['j', 'go to the other side of what the selected slice is linked with: a message, a launch, the task\'s creation'], ['J', 'the next one of these, in turn']])
  $('keys').querySelector('tr').after(tag('tr', {}, tag('td', {}, tag('kbd', {}, key)), tag('td', {}, what)));
$('findMore').replaceChildren(tag('code', {}, 'critical longer than 1 ms'), ': long ones; ', tag('code', {}, 'event:acquire_lock'), ': events of a type');
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || $('keys').open || ['INPUT', 'SELECT'].includes(/** @type {any} */ (e.target).tagName)) return;
  if (e.key === 'j' || e.key === 'J') { follow(e.key === 'J'); e.preventDefault(); }
});
/** For tests, and for whoever wants to look from the console. */
Object.defineProperty(window, 'tracerView', {value: {live, extra, reporting, flame, activityColour, follow, lanes, meta, view, order: () => order, range: () => range, selection: () => selected, statistics: () => statistics, setRange, setTheme, setView, zoom, search, step, goTo, select, zoomTo, hit, fold, showTab, toX, canvas,
  get readyAt() { return drawing.readyAt; }, get drawMs() { return drawing.ms; }}});
view.t0 = -length * 0.01; view.t1 = length * 1.01;
prepareRows();
setTheme(window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches);
if (lanes.length > 48) for (const lane of lanes) lane.folded = true;  // f unfolds them all
layout();
$('scroller').addEventListener('scroll', refresh);
window.addEventListener('resize', refresh);
restore();
loadOverview();
watch(() => { tabsChanged(); if (extra.ready && isQuick()) askReport(tabsChanged); });
