// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The page's address says what is shown: a bookmark of it shows that again.
import {$} from './dom.js';
import {search} from './finding.js';
import {refresh, selectAt} from './live.js';
import {sliceOf} from './lookup.js';
import {select} from './navigation.js';
import {current, showSide, showTab, tabNames, updatePanel} from './tables.js';
import {compared, lanes, length, meta, side, sides} from './trace.js';
import {clearRange, filterLanes, range, selected, setRange, setSelected, setView, sort, sortLanes, view, wanted} from './timeline.js';

/** @type {any} */
let remembering = 0;
let restored = false, written = '';
/** What is in view has changed. */
export function remember() {
  if (!restored) return;
  refresh();
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const words = new URLSearchParams({from: String(Math.round(view.t0)), to: String(Math.round(view.t1)), tab: current});
    if ($('search').value) words.set('find', $('search').value);
    if (range) words.set('range', range.map(Math.round).join('-'));
    if (sort !== 'name') words.set('sort', sort);
    if (wanted.length) words.set('only', $('only').value);
    if (compared && side !== sides[0]) words.set('side', side.title);
    if (selected) words.set('at', [selected.row.lane.index, selected.row.depth, ...Object.values(sliceOf(selected))].join('.'));
    written = '#' + words;
    history.replaceState(null, '', written);
    updatePanel();
  }, 150);
}
/** What another address has left on the page. */
function forget() {
  $('search').value = ''; search('');
  setSelected(null); $('details').replaceChildren();
  setView(-length * 0.01, length * 1.01);
}
export function restore() {
  if (location.hash && location.hash === written) return;
  const words = new URLSearchParams(location.hash.slice(1));
  const again = restored;
  if (again) forget();
  clearRange();
  const find = words.get('find'), tab = words.get('tab');
  if (find) { $('search').value = find; search(find); }
  sortLanes(words.get('sort') || 'name');
  filterLanes(words.get('only') || '');
  const marked = (words.get('range') || '').split('-').map(Number);
  if (marked[1] > marked[0]) setRange(marked[0], marked[1]);
  const from = Number(words.get('from')), to = Number(words.get('to'));
  if (to > from) setView(from, to);
  const [lane, depth, begin, end, name, sum] = (words.get('at') || '').split('.').map(Number);
  if (lanes[lane] && begin <= end && meta.names[name] !== undefined) selectAt(lane, depth, {begin, end, name, ...(sum >= 0 ? {sum} : {})}, (what) => select(what, true));
  const wantedSide = compared && words.get('side') === sides[1].title ? sides[1] : sides[0];
  if (wantedSide !== side) showSide(wantedSide);
  if (again || tab) showTab(tab || tabNames()[0]);
  restored = true;
  refresh();
}
