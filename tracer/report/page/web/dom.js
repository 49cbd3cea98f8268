// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Elements of the page. Whatever comes out of a trace becomes text, never markup.

/** The element of that id. @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);

/**
 * A new element: tag('p', {class: 'muted'}, 'text', tag('b', {}, 'bold')). Children that are no elements become text.
 * @param {string} name
 * @param {Record<string, string | number | undefined>} [attributes] those that are undefined are left out
 * @param {...any} children
 * @returns {any}
 */
export function tag(name, attributes = {}, ...children) {
  const element = name === 'svg' || name === 'rect' || name === 'text' || name === 'title' ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, String(value));
  element.append(...children.flat(Infinity).map((child) => child instanceof Node ? child : String(child)));
  return element;
}

/** A paragraph in grey. @param {...any} children */
export const note = (...children) => tag('p', {class: 'muted'}, ...children);
/** A paragraph that warns. @param {...any} children */
export const warning = (...children) => tag('p', {class: 'warning'}, ...children);

/** The parts with a new `between` between them. @param {any[]} parts @param {() => any} between */
export const joined = (parts, between) => parts.flatMap((part, i) => i === 0 ? [part] : [between(), part]);

/** Draws anew once the element has another width, by the window or by a scrollbar that comes or goes. @param {HTMLElement} element @param {() => void} drawAgain */
export function onWidth(element, drawAgain) {
  let wide = element.clientWidth;
  const isOther = () => element.clientWidth > 0 && element.clientWidth !== wide;  // 0: it is no longer in the page
  // In a frame of its own: drawing may change the element's height.
  new ResizeObserver(() => { if (isOther()) { wide = element.clientWidth; requestAnimationFrame(drawAgain); } }).observe(element);
}

/** Shows the tooltip beside the mouse. @param {any[]} content @param {MouseEvent} event */
export function showTooltip(content, event) {
  const tip = $('tooltip');
  tip.hidden = false;
  tip.replaceChildren(...content);
  tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
}
