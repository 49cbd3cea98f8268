// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The buttons above the tables: tabs, and of two traces whose tables are shown.
import {$, tag} from './dom.js';

/** Buttons of these names. They stay while their names do, and with them the focus. @param {any} holder @param {string[]} names @param {Record<string, string>} attributes @param {(index: number) => void} turn */
function keepButtons(holder, names, attributes, turn) {
  const there = [...holder.children];
  if (there.length === names.length && there.every((one, i) => one.textContent === names[i])) return there;
  const focused = there.find((one) => one === document.activeElement);
  const made = names.map((name, i) => { const button = tag('button', attributes, name); button.onclick = () => turn(i); return button; });
  holder.replaceChildren(...made);
  const same = focused && made.find((one) => one.textContent === focused.textContent);
  if (same) same.focus();
  return made;
}
/** The arrow keys go through the tabs. */
function tabKey(e, turn) {
  const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0, all = [...$('tabs').children];
  if (!by) return;
  turn(all[(all.indexOf(e.currentTarget) + by + all.length) % all.length].textContent);
  $('tabs').querySelector('[aria-selected="true"]').focus();
  e.preventDefault(); e.stopPropagation();
}
/** @param {string[]} names @param {string} selected @param {(name: string) => void} turn */
export function showTabs(names, selected, turn) {
  for (const button of keepButtons($('tabs'), names, {role: 'tab', 'aria-controls': 'panel'}, (i) => turn(names[i]))) {
    const isSelected = button.textContent === selected;
    button.setAttribute('aria-selected', String(isSelected)); button.tabIndex = isSelected ? 0 : -1;
    button.onkeydown = (e) => tabKey(e, turn);
  }
}
/** @param {string[]} titles none: there is one trace @param {number} selected @param {(index: number) => void} turn */
export function showSides(titles, selected, turn) {
  keepButtons($('sides'), titles, {}, turn).forEach((button, i) => button.setAttribute('aria-pressed', String(i === selected)));
}
