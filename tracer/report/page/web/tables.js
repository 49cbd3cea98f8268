// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tabs, and which of the tables is shown.
import {remember} from './address.js';
import {$} from './dom.js';
import {panelNames, panels} from './panels.js';
import {startSamples} from './samples.js';
import {drawGraph} from './task_graph.js';
import {compared, setSide, side, sides} from './trace.js';

/** The tab that is shown. */
export let current = compared ? 'Comparison' : 'Summary';
export const tabNames = panelNames;
/** Of two traces: the one whose tables are shown. */
export function showSide(one) {
  setSide(one);
  $('sides').replaceChildren(...(compared ? sides.map((each) => {
    const button = document.createElement('button');
    button.textContent = each.title; button.setAttribute('aria-pressed', String(each === side));
    button.onclick = () => { showSide(each); remember(); };
    return button;
  }) : []));
  showTab(tabNames().includes(current) ? current : 'Summary');
}
export function showTab(name) {
  current = name;
  $('tabs').replaceChildren(...tabNames().map((tab) => {
    const button = document.createElement('button');
    button.textContent = tab; button.role = 'tab'; button.setAttribute('aria-selected', String(tab === name)); button.tabIndex = tab === name ? 0 : -1;
    button.onclick = () => { showTab(tab); remember(); };
    button.onkeydown = (e) => { const all = tabNames(), by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0; if (by) { showTab(all[(all.indexOf(tab) + by + all.length) % all.length]); remember(); $('tabs').querySelector('[aria-selected="true"]').focus(); e.preventDefault(); e.stopPropagation(); } };
    return button;
  }));
  $('panel').replaceChildren(...panels[name]());
  if (name === 'Tasks') drawGraph();
  if (name === 'Samples') startSamples();
}
