// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The start of the page that tracer view serves.
import {restore} from './address.js';
import {$} from './dom.js';
import {goTo, search, step} from './finding.js';
import {fold, setTheme} from './keys.js';
import {live, loadOverview, prepareRows, refresh} from './live.js';
import {hit, select, zoomTo} from './navigation.js';
import {count, time} from './numbers.js';
import {showTab, statistics} from './tables.js';
import {compared, lanes, length, meta, sides} from './trace.js';
import {canvas, drawing, layout, order, range, selected, setRange, setView, toX, view, zoom} from './timeline.js';

$('title').textContent = sides.map((one) => one.title).join(' / ');
document.title = $('title').textContent + ' - Tracer view';
$('facts').textContent = sides.map((one) => `${compared ? one.title + ' ' : ''}${time(one.length)}, ${count(one.locations)} threads and streams, ${count(one.events)} events`).join('; ');
for (const id of ['path', 'arrows']) { $(id).checked = false; $(id).parentElement.hidden = true; }
/** For tests, and for whoever wants to look from the console. */
Object.defineProperty(window, 'tracerView', {value: {live, lanes, meta, view, order: () => order, range: () => range, selection: () => selected, statistics: () => statistics, setRange, setView, zoom, search, step, goTo, select, zoomTo, hit, fold, showTab, toX, canvas,
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
