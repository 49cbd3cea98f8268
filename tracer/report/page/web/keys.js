// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// What mouse and keys do.
import {remember, restore} from './address.js';
import {dark, makeColours, setDark} from './colours.js';
import {$, onWidth, showTooltip} from './dom.js';
import {search, step} from './finding.js';
import {hit, select, tooltipOf, tooltipOfSummary, zoomTo} from './navigation.js';
import {axisTime} from './numbers.js';
import {above} from './rows.js';
import {current, showSide, showTab, tabNames} from './tables.js';
import {AXIS, compared, lanes, length, several, side, sides} from './trace.js';
import {canvas, clearRange, filterLanes, foldProcesses, height, layout, NAMES, order, overview, pan, range, readTheme, redraw, rowsOf, selected, setRange, setSelected, setView, sort, sortLanes, sorts, toTime, view, width, zoom} from './timeline.js';

const lineOf = (e) => e.offsetY + $('scroller').scrollTop;
let drag = null, hover = null;
/** The time under the mouse, at the axis. */
function showCursor(x) {
  const cursor = $('cursor');
  cursor.hidden = x < NAMES;
  cursor.style.left = x + 'px';
  cursor.firstElementChild.textContent = axisTime(toTime(x), (view.t1 - view.t0) / 1000);
  cursor.classList.toggle('left', x > width - 120);
}
/** To a tab, which the address then has. @param {string} name */
function turnTo(name) { showTab(name); remember(); }
/** What is measured: the selected slice, or all that is in view. */
function measure() {
  if (selected) setRange(selected.row.begin[selected.index], selected.row.end[selected.index]); else setRange(view.t0, view.t1);
  turnTo('In view');
}
/** The critical path, or the arrows. @param {string} what */
function toggle(what) { $(what).checked = !$(what).checked; $(what).onchange(); }
export function fold(lane) { if (lane) { lane.folded = !lane.folded; layout(); } }
export function pin(lane) { if (lane) { lane.pinned = !lane.pinned; layout(); } }
function foldAll() { const all = lanes.every((l) => l.folded || l.rows.length < 2); for (const lane of lanes) lane.folded = !all; layout(); }
function clickName(e) {
  const y = lineOf(e), lane = e.offsetY >= AXIS && order.find((l) => y >= l.y && y < l.y + l.height);
  if (e.altKey || e.shiftKey) pin(lane); else fold(lane);
}
canvas.addEventListener('wheel', (e) => {
  const sideways = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
  if (!e.ctrlKey && !e.metaKey && !sideways) return;  // scrolls through the threads
  e.preventDefault();
  if (sideways && !e.ctrlKey && !e.metaKey) pan(sideways / width); else zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) * 0.002), toTime(Math.max(NAMES, e.offsetX)));
}, {passive: false});
canvas.addEventListener('pointerdown', (e) => { if (e.offsetX < NAMES) return clickName(e); drag = {x: e.offsetX, t0: view.t0, t1: view.t1, moved: false, range: e.shiftKey}; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener('pointermove', (e) => {
  if (drag) {
    if (Math.abs(e.offsetX - drag.x) > 3) drag.moved = true;
    if (drag.range) setRange(toTime(drag.x), toTime(e.offsetX)); else if (drag.moved) { const by = (drag.x - e.offsetX) * (drag.t1 - drag.t0) / (width - NAMES); setView(drag.t0 + by, drag.t1 + by); }
    $('tooltip').hidden = true;
    return;
  }
  showCursor(e.offsetX);
  hover = hit(e.offsetX, lineOf(e));
  const told = hover ? tooltipOf(hover) : tooltipOfSummary(e.offsetX, lineOf(e));
  if (told) showTooltip(told, e); else $('tooltip').hidden = true;
});
canvas.addEventListener('pointerup', (e) => {
  if (drag && drag.range && drag.moved) turnTo('In view');
  else if (drag && drag.range) setRange(null);
  else if (drag && !drag.moved) select(hit(e.offsetX, lineOf(e)), false);
  drag = null; redraw();
});
canvas.addEventListener('pointerleave', () => { $('tooltip').hidden = true; $('cursor').hidden = true; });
canvas.addEventListener('dblclick', (e) => { const what = hit(e.offsetX, lineOf(e)); if (what) zoomTo(what); });
$('scroller').addEventListener('scroll', redraw);
function overviewTo(e) { const t = (e.offsetX - NAMES) / (width - NAMES) * length, span = view.t1 - view.t0; setView(t - span / 2, t + span / 2); }
overview.addEventListener('pointerdown', (e) => { overview.setPointerCapture(e.pointerId); overviewTo(e); });
overview.addEventListener('pointermove', (e) => { if (e.buttons) overviewTo(e); });

function selectNear(key) {
  if (!selected) { const lane = order.find((l) => l.rows.length); const i = lane ? above(lane.rows[0].end, view.t0) : 0; return lane && i < lane.rows[0].begin.length && select({row: lane.rows[0], index: i}, true); }
  // It may be in none of the rows that are shown: then its neighbours are those of the row where its box is.
  const begin = selected.row.begin[selected.index], shown = rowsOf(selected.row.lane), row = shown[Math.min(selected.row.depth, shown.length - 1)], isThere = row === selected.row;
  const left = isThere ? selected.index - 1 : above(row.end, begin) - 1, right = isThere ? selected.index + 1 : above(row.begin, begin);
  if (key === 'ArrowLeft' && left >= 0) return select({row, index: left}, true);
  if (key === 'ArrowRight' && right < row.begin.length) return select({row, index: right}, true);
  const all = order.flatMap((l) => rowsOf(l)), other = all[all.indexOf(row) + (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0)];
  if (other && other !== row && other.begin.length) select({row: other, index: Math.min(other.begin.length - 1, above(other.end, begin))}, true);
}
/** Whether a key is for what has the focus: a choice, a table, a tab. @param {any} target @param {string} key */
function isOfFocus(target, key) {
  if (target.tagName === 'SELECT') return true;
  if (['A', 'BUTTON', 'INPUT'].includes(target.tagName) && (key === 'Enter' || key === ' ')) return true;
  const moves = key.startsWith('Arrow') || ['PageUp', 'PageDown', 'Home', 'End'].includes(key);
  return moves && Boolean(target.closest && target.closest('main, nav'));
}
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || $('keys').open) return;
  if (e.target === $('only')) {
    if (e.key === 'Escape') filterLanes('');
    if (e.key === 'Enter' || e.key === 'Escape') { canvas.focus(); e.preventDefault(); }
    return;
  }
  if (e.target === $('search')) {
    if (e.key === 'Enter') { if (step(e.shiftKey ? -1 : 1)) canvas.focus(); e.preventDefault(); }
    if (e.key === 'Escape') { $('search').value = ''; search(''); canvas.focus(); }
    return;
  }
  if (isOfFocus(e.target, e.key)) return;
  if (e.shiftKey && e.key.startsWith('Arrow')) { selectNear(e.key); e.preventDefault(); return; }
  const keys = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), a: () => pan(-0.15), d: () => pan(0.15),
    ArrowUp: () => { $('scroller').scrollTop -= 60; }, ArrowDown: () => { $('scroller').scrollTop += 60; },
    '+': () => zoom(0.7), '=': () => zoom(0.7), w: () => zoom(0.7), '-': () => zoom(1 / 0.7), s: () => zoom(1 / 0.7),
    '0': () => setView(-length * 0.01, length * 1.01), Home: () => setView(-length * 0.01, length * 1.01),
    Enter: () => selected && zoomTo(selected), n: () => step(1), N: () => step(-1), '/': () => $('search').focus(),
    f: () => selected ? fold(selected.row.lane) : foldAll(), r: () => several && foldProcesses(), p: () => selected && pin(selected.row.lane), i: () => turnTo('In view'), g: () => { const all = tabNames().filter((name) => ['Samples', 'Flame graph'].includes(name)); if (all.length) turnTo(all[(all.indexOf(current) + 1) % all.length]); },
    m: measure, z: () => range && setView(range[0], range[1]), c: () => toggle('path'), e: () => toggle('arrows'),
    l: () => $('only').focus(), o: () => { const all = Object.keys(sorts); sortLanes(all[(all.indexOf(sort) + 1) % all.length]); },
    PageUp: () => { $('scroller').scrollTop -= $('scroller').clientHeight; }, PageDown: () => { $('scroller').scrollTop += $('scroller').clientHeight; }, End: () => { $('scroller').scrollTop = height; },
    b: () => { if (compared) { showSide(sides[1 - sides.indexOf(side)]); remember(); } },
    Escape: () => { setSelected(null); clearRange(); $('search').value = ''; search(''); }, t: () => setTheme(!dark), '?': () => $('keys').showModal(),
  };
  if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
});
$('search').addEventListener('input', (e) => search(e.target.value));
$('next').onclick = () => step(1);
$('prev').onclick = () => step(-1);
$('fit').onclick = () => setView(-length * 0.01, length * 1.01);
$('help').onclick = () => $('keys').showModal();
$('theme').onclick = () => setTheme(!dark);
$('arrows').onchange = redraw;
$('ranks').hidden = !several;
$('ranks').onclick = foldProcesses;
$('path').onchange = redraw;
$('bands').onchange = () => layout();
$('sort').onchange = (e) => sortLanes(e.target.value);
$('only').addEventListener('input', (e) => filterLanes(e.target.value));
window.addEventListener('resize', () => layout(true));
onWidth($('scroller'), () => layout(true));
window.addEventListener('hashchange', restore);

/** @param {boolean} isDark */
export function setTheme(isDark) {
  setDark(isDark);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  readTheme(); makeColours(); layout(); showTab(current);
}
