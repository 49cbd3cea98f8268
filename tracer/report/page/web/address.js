// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The page's address says what is shown: it can be sent to others who have the file.
import {$} from './dom.js';
import {search} from './finding.js';
import {select} from './navigation.js';
import {updateSamples} from './samples.js';
import {current, showSide, showTab, tabNames} from './tables.js';
import {bandLanes, compared, lanes, length, side, sides} from './trace.js';
import {clearRange, filterLanes, range, selected, setRange, setSelected, setView, sort, sortLanes, view, wanted} from './timeline.js';

/** @type {any} */
let remembering = 0;
let restored = false;
export function remember() {
  if (!restored) return;
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const words = new URLSearchParams({from: String(Math.round(view.t0)), to: String(Math.round(view.t1)), tab: current});
    if ($('search').value) words.set('find', $('search').value);
    if (range) words.set('range', range.map(Math.round).join('-'));
    if (sort !== 'name') words.set('sort', sort);
    if (wanted.length) words.set('only', $('only').value);
    if (compared && side !== sides[0]) words.set('side', side.title);
    if (selected) words.set('at', [selected.row.lane.index, selected.row.depth, selected.index].join('.'));
    try { history.replaceState(null, '', '#' + words); } catch { /* where the browser allows no change of the address */ }
    if (current === 'In view') showTab(current);
    if (current === 'Samples') updateSamples();
  }, 150);
}
/** What another address has left on the page. */
function forget() {
  $('search').value = ''; search('');
  setSelected(null); $('details').replaceChildren();
  setView(-length * 0.01, length * 1.01);
  showSide(sides[0]); showTab(tabNames()[0]);
}
export function restore() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (restored) forget();
  clearRange();
  const find = words.get('find'), tab = words.get('tab');
  if (find) { $('search').value = find; search(find); }
  sortLanes(words.get('sort') || 'name');
  filterLanes(words.get('only') || '');
  const marked = (words.get('range') || '').split('-').map(Number);
  if (marked[1] > marked[0]) setRange(marked[0], marked[1]);
  const [lane, depth, index] = (words.get('at') || '').split('.').map(Number);
  const at = [...lanes, ...bandLanes][lane], row = words.get('at') && at && at.rows[depth];
  if (row && index < row.begin.length) select({row, index}, true);
  const from = Number(words.get('from')), to = Number(words.get('to'));
  if (to > from) setView(from, to);
  if (compared && words.get('side') === sides[1].title) showSide(sides[1]);
  if (tab && tabNames().includes(tab)) showTab(tab);
  restored = true;
}
