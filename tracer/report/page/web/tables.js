// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tabs, and which of the tables is shown.
import {remember} from './address.js';
import {$} from './dom.js';
import {panelNames, panels} from './panels.js';
import {startSamples} from './samples.js';
import {showSides, showTabs} from './tabs.js';
import {drawGraph} from './task_graph.js';
import {compared, setSide, side, sides} from './trace.js';

/** The tab that is shown. */
export let current = compared ? 'Comparison' : 'Summary';
export const tabNames = panelNames;
/** Of two traces: the one whose tables are shown. */
export function showSide(one) {
  setSide(one);
  showSides(compared ? sides.map((each) => each.title) : [], sides.indexOf(side), (i) => { showSide(sides[i]); remember(); });
  showTab(tabNames().includes(current) ? current : 'Summary');
}
export function showTab(name) {
  current = name;
  showTabs(tabNames(), name, (tab) => { showTab(tab); remember(); });
  $('panel').replaceChildren(...panels[name]());
  if (name === 'Tasks') drawGraph();
  if (name === 'Samples') startSamples();
}
