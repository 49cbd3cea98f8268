// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The timeline: what part of the trace is in view, and how it is drawn.
import {remember} from './address.js';
import {colours, hatching, inks, phaseColour} from './colours.js';
import {$, tag} from './dom.js';
import {isWithin} from './finding.js';
import {axisStep, axisTime, count, fitting, time} from './numbers.js';
import {parseParts} from './query.js';
import {above, crosses} from './rows.js';
import {drawActivity, drawCounter, drawSampled} from './strips.js';
import {AXIS, bandLanes, COUNTER, GAP, lanes, length, meta, ROW, several, sides} from './trace.js';

// ---- The view.
export const canvas = $('timeline'), overview = $('overview');
const ctx = canvas.getContext('2d'), octx = overview.getContext('2d');
export const view = {t0: 0, t1: length};
/** Pixels: of the names of the lanes (fewer in a narrow window), of the page, of all lanes; and how many there are in one of CSS. */
export let NAMES = 190, width = 0, height = 0, scale = 1;
/** Names that are searched for, and below the times that they must be within. @type {Set<number> | null} */
export let matches = null;
/** @type {any} */
export let within = null;
/** The slice that is selected. @type {any} */
export let selected = null;
/** What the ruler measures: from, to, in ns. @type {[number, number] | null} */
export let range = null;
/** @param {Set<number> | null} names @param {any} times */
export function setMatches(names, times) { matches = names; within = times; }
/** How often something else was selected, or nothing: who awaits an answer compares it. */
export let selections = 0;
/** @param {any} slice @param {boolean} [isSame] it is the one that was selected, in new rows */
export function setSelected(slice, isSame = false) { selected = slice; if (!isSame) ++selections; }
export function clearRange() { range = null; }
/** When the first picture was there, how long the last one took, and how many lanes it has. */
export const drawing = {readyAt: 0, ms: 0, lanes: 0};
let pending = false;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** @type {Record<string, string>} */
export let theme = {};
export function readTheme() { theme = {bg: style('--bg'), fg: style('--fg'), muted: style('--muted'), line: style('--line'), lane: style('--lane'), accent: style('--accent'), mark: style('--mark'), path: style('--path')}; }

// ---- The lanes from top to bottom: pinned ones, then process by process threads and streams; folded ones show their outermost
// ---- regions, and of folded processes there is only the first thread.
export const byName = new Intl.Collator('en', {numeric: true});
const rank = (lane) => (lane.pinned ? 0 : 10) + 5 * sides.indexOf(lane.side) + (lane.stream ? 2 : lane.name.includes('Master') ? 0 : 1);
const processOf = (lane) => several && lane.owner && !lane.pinned ? lane.owner.process : -1;
export let foldedProcesses = several && lanes.length > 512;
/** The lane that stands for one that is folded away. */
export const shownFor = (lane) => foldedProcesses && !lane.first ? lanes[lane.side.location + lane.owner.threads[0]] || lane : lane;
export function foldProcesses() { foldedProcesses = !foldedProcesses; layout(); }
export const sorts = {
  name: (a, b) => Number(!a.pinned) - Number(!b.pinned) || sides.indexOf(a.side) - sides.indexOf(b.side) || processOf(a) - processOf(b) || rank(a) - rank(b) || byName.compare(a.name, b.name),
  work: (a, b) => Number(!a.pinned) - Number(!b.pinned) || (b.time.work_ns || 0) - (a.time.work_ns || 0),
  waiting: (a, b) => Number(!a.pinned) - Number(!b.pinned) || waiting(b.time) - waiting(a.time),
};
const waiting = (time) => (time.barrier_ns || 0) + (time.task_wait_ns || 0) + (time.lock_wait_ns || 0);
/** @type {string} */
export let sort = 'name';
/** Parts of names; none: all lanes. @type {string[]} */
export let wanted = [];
export const isWanted = (lane) => lane.pinned || (!foldedProcesses || lane.first) && (!wanted.length || wanted.some((part) => lane.name.toLowerCase().includes(part)));
/** @param {string} by */
export function sortLanes(by) { if (sorts[by]) { sort = by; $('sort').value = by; layout(); } }
/** Only lanes whose name has one of the words, with commas between them. */
export function filterLanes(text) {
  $('only').value = text;
  wanted = parseParts(text);
  if (!lanes.some(isWanted)) wanted = [];
  layout();
  const shown = order.filter((lane) => !lane.bands).length;
  $('onlyNote').textContent = shown < lanes.length ? `${count(shown)} of ${count(lanes.length)}` : text.trim() && !wanted.length ? 'none has that' : '';
}
/** @type {any[]} */
export let order = [];
export const rowsOf = (lane) => lane.folded ? lane.rows.slice(0, 1) : lane.rows;
/** Whether a row below those of a lane sums up what all threads of its process do: they are folded away. Only `tracer view` knows it. */
export const hasSummary = (lane) => Boolean(meta.hasActivity && foldedProcesses && lane.first && lane.side.processes.length > 1 && lane.owner && lane.owner.threads.length > 1);
export const summaryY = (lane) => lane.y + Math.max(1, rowsOf(lane).length) * ROW;
/** @param {boolean} [isResize] the same lanes at another size */
export function layout(isResize = false) {
  width = $('scroller').clientWidth;  // beside its scrollbar: as wide as the canvas in it
  NAMES = width < 600 ? 96 : several ? 220 : 190;
  const threads = lanes.filter((lane) => !lane.left_out && isWanted(lane)).sort((a, b) => sorts[sort](a, b) || a.index - b.index);
  $('bands').parentElement.hidden = !bandLanes.length;
  order = $('bands').checked ? [...bandLanes, ...threads] : threads;
  for (const lane of [...lanes, ...bandLanes]) lane.hidden = true;
  for (const lane of order) lane.hidden = false;
  let y = AXIS;
  for (const lane of order) { lane.y = y; lane.height = summaryY(lane) - y + (hasSummary(lane) ? ROW : 0); y += lane.height + (order.length > 48 ? 2 : GAP); }
  for (const counter of meta.counters) { counter.y = y; y += COUNTER + GAP; }
  height = y;
  scale = Math.min(2, window.devicePixelRatio || 1);
  $('tall').style.height = height + 'px';
  const part = Math.max(40, Math.min(height, $('scroller').clientHeight));  // only what is in sight is drawn
  for (const [c, h] of [[canvas, part], [overview, 36]]) { c.width = Math.round(width * scale); c.height = Math.round(h * scale); }
  canvas.style.height = part + 'px';
  overview.style.width = width + 'px';
  drawOverview();
  if (drawing.readyAt) draw(); else redraw();  // no frame without a picture: another size has cleared it
  if (!isResize) remember();  // other lanes may be in sight
}
/** @param {number} t */
export const toX = (t) => NAMES + (t - view.t0) * (width - NAMES) / (view.t1 - view.t0);
/** @param {number} x */
export const toTime = (x) => view.t0 + (x - NAMES) * (view.t1 - view.t0) / (width - NAMES);
/** ns: no less is in view. */
const leastSpan = 20;
export function setView(t0, t1) {
  const span = Math.max(leastSpan, Math.min(t1 - t0, length * 1.02));
  const middle = (t0 + t1) / 2;
  t0 = middle - span / 2;
  t0 = Math.max(-length * 0.01, Math.min(t0, length * 1.01 - span));
  view.t0 = t0; view.t1 = t0 + span;
  remember();
  redraw();
}
export function zoom(factor, at = (view.t0 + view.t1) / 2) { setView(at - (at - view.t0) * factor, at + (view.t1 - at) * factor); }
export function pan(share) { const by = share * (view.t1 - view.t0); setView(view.t0 + by, view.t1 + by); }
export function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

/** A row's narrow slices as one picture, a pixel high: drawing it costs the same for any number of them. */
const line = tag('canvas').getContext('2d', {willReadFrequently: true});
/** @type {ImageData} */
let lineImage;
let linePixels = new Uint32Array(0);
function startLine(wide) {
  if (line.canvas.width !== wide || !lineImage) {
    line.canvas.width = wide; line.canvas.height = 1;
    lineImage = line.createImageData(wide, 1);
    linePixels = new Uint32Array(lineImage.data.buffer);
  }
  linePixels.fill(0);
}
/** @type {Map<string, number>} */
const packedColours = new Map();
/** As a pixel of a picture has it: red in the lowest byte. @param {string} colour @param {number} alpha */
function packedColour(colour, alpha) {
  let packed = packedColours.get(colour);
  if (packed === undefined) {
    line.fillStyle = colour;
    const digits = Number.parseInt(String(line.fillStyle).slice(1), 16);
    packed = (digits & 255) << 16 | digits & 0xff00 | digits >> 16;
    packedColours.set(colour, packed);
  }
  return (packed | Math.round(255 * alpha) << 24) >>> 0;
}
/** Pixels: below that a slice is in the picture of the narrow ones. */
const narrow = 4;
/** Slices narrower than a pixel share one column, of the colour of the longest of the first few: the cost is that of the columns. */
function drawRow(g, row, y, h, t0, t1, x0, pixels, labels) {
  const perPixel = (t1 - t0) / pixels, n = row.begin.length, wide = [], fine = Math.max(1, Math.round(pixels * scale));
  let i = above(row.end, t0), hasNarrow = false;
  while (i < n && row.begin[i] < t1) {
    const from = row.begin[i], to = row.end[i];
    let name = row.name[i], left = (from - t0) / perPixel, right = (to - t0) / perPixel, next = i + 1;
    if (right - left < 1) {
      left = Math.floor(left); right = left + 1;
      next = above(row.begin, t0 + right * perPixel, i);
      if (next === i) next = i + 1;
      if (next - 1 > i && row.end[next - 1] - t0 > (right + 1) * perPixel) --next;  // the last of them is wide
      let longest = to - from;
      for (let k = i + 1; k < Math.min(next, i + 12); ++k) if (row.end[k] - row.begin[k] > longest) { longest = row.end[k] - row.begin[k]; name = row.name[k]; }
      if (matches) for (let k = i; k < Math.min(next, i + 64); ++k) if (matches.has(row.name[k])) { name = row.name[k]; break; }
    }
    left = Math.max(0, left); right = Math.min(pixels, right);
    const dim = Boolean(matches && (!matches.has(name) || within && !isWithin(row.lane, from, to)));
    if (right - left > narrow) {
      wide.push({left, right, name, dim});
    } else {
      if (!hasNarrow) startLine(fine);
      hasNarrow = true;
      const first = Math.round(left * scale);
      linePixels.fill(packedColour(colours[name], dim ? 0.18 : 1), first, Math.max(first + 1, Math.round(right * scale)));
    }
    i = next;
  }
  if (hasNarrow) {
    line.putImageData(lineImage, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(line.canvas, 0, 0, fine, 1, x0, y, pixels, h);
  }
  for (const {left, right, name, dim} of wide) {
    g.globalAlpha = dim ? 0.18 : 1;
    for (const fill of meta.activities[name] === 'not_recorded' ? [colours[name], hatching] : [colours[name]]) { g.fillStyle = fill; g.fillRect(x0 + left, y, right - left - 0.6, h); }
    if (!labels || right - left <= 34 || dim) continue;
    g.fillStyle = inks[name];
    g.fillText(fitting(meta.labels[name], (right - left - 6) / 6.1), x0 + left + 3, y + h - 3.5);
  }
  g.globalAlpha = 1;
}

/** Places and names of times with a step that leaves room for their names. */
function ticks() {
  const step = axisStep((view.t1 - view.t0) / Math.max(2, (width - NAMES) / 110)), list = [];
  for (let t = Math.ceil(view.t0 / step) * step; t <= view.t1; t += step) list.push({x: Math.round(toX(t)) + 0.5, text: axisTime(Math.abs(t) < step / 1e6 ? 0 : t, step)});
  return list;
}
function grid(g) {
  g.strokeStyle = theme.line; g.lineWidth = 1;
  for (const {x} of ticks()) { g.beginPath(); g.moveTo(x, AXIS - 6); g.lineTo(x, height); g.stroke(); }
}
/** The time axis, over what is scrolled away below it. */
function axis(g, top) {
  g.fillStyle = theme.bg; g.fillRect(0, top, width, AXIS);
  g.font = '11px system-ui, sans-serif'; g.strokeStyle = theme.line; g.lineWidth = 1;
  for (const {x, text} of ticks()) {
    g.beginPath(); g.moveTo(x, top + AXIS - 6); g.lineTo(x, top + AXIS); g.stroke();
    g.fillStyle = theme.muted; g.fillText(text, x + 3, top + 13);
  }
}

/** The middle of the innermost slice of a lane at a time: where an arrow begins or ends. */
function heightAt(lane, t) {
  for (let d = rowsOf(lane).length - 1; d > 0; --d) {
    const row = lane.rows[d], i = above(row.begin, t) - 1;
    if (i >= 0 && row.end[i] >= t) return lane.y + d * ROW + ROW / 2;
  }
  return lane.y + ROW / 2;
}

function drawArrows(g) {
  $('arrowsNote').textContent = meta.arrowsNote || '';
  if (!$('arrows').checked) return;
  const a = meta.arrows, seen = [], leftOut = sides.reduce((sum, one) => sum + one.arrowsLeftOut, 0);
  for (let i = 0; i < a.length && seen.length <= 600; ++i) {
    if (!crosses(a[i][3], a[i][4], view.t0, view.t1) || shownFor(lanes[a[i][1]]).hidden || shownFor(lanes[a[i][2]]).hidden) continue;
    if (a[i][0] === 2 && toX(a[i][4]) - toX(a[i][3]) < 12 && a[i][1] === a[i][2]) continue;
    seen.push(a[i]);
  }
  if (!meta.arrowsNote) $('arrowsNote').textContent = seen.length > 600 ? 'arrows: zoom in, there are too many here' : leftOut ? `arrows: ${count(leftOut)} later ones are not kept` : '';
  if (seen.length > 600) return;  // nothing to be seen among that many
  g.save();
  g.beginPath(); g.rect(NAMES, AXIS, width - NAMES, height); g.clip();
  g.lineWidth = 1;
  for (const [kind, from, to, t0, t1] of seen) {
    const x0 = toX(t0), x1 = toX(t1);
    if (!crosses(x0, x1, NAMES, width) || (kind === 2 && from === to && seen.length > 60)) continue;
    const y0 = heightAt(shownFor(lanes[from]), t0), y1 = heightAt(shownFor(lanes[to]), t1);
    g.strokeStyle = g.fillStyle = kind === 2 ? theme.muted : kind === 3 ? theme.accent : kind >= 4 ? theme.fg : theme.mark;
    g.setLineDash(kind >= 4 ? [4, 3] : []);
    g.globalAlpha = kind >= 2 ? Math.max(0.2, Math.min(0.5, 25 / seen.length)) : 0.8;
    const bend = Math.min(40, Math.abs(x1 - x0) / 2 + 6);
    g.beginPath(); g.moveTo(x0, y0); g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1); g.stroke();
    g.setLineDash([]);
    g.beginPath(); g.moveTo(x1, y1); g.lineTo(x1 - 6, y1 - 3); g.lineTo(x1 - 6, y1 + 3); g.fill();
  }
  g.restore();
}

/** The critical path: along the lanes where it went, and from one to the next. */
function drawPath(g) {
  if (!$('path').checked) return;
  g.save();
  g.beginPath(); g.rect(NAMES, AXIS, width - NAMES, height); g.clip();
  g.strokeStyle = theme.path; g.lineWidth = 2.5; g.lineJoin = 'round';
  for (const one of sides) {
    g.beginPath();
    let open = false;
    for (const [location, from, to] of one.path) {
      const lane = lanes[location];
      if (lane.hidden) { open = false; continue; }
      if (from > view.t1) { if (open) g.lineTo(toX(from), lane.y + ROW - 1); break; }
      const y = lane.y + ROW - 1;
      if (to < view.t0) { g.moveTo(toX(to), y); open = true; continue; }
      if (open) g.lineTo(toX(from), y); else g.moveTo(toX(from), y);
      g.lineTo(Math.max(toX(to), toX(from) + 0.5), y);
      open = true;
    }
    g.stroke();
  }
  g.restore();
}

/** What the ruler measures. */
function drawRange(g, top, bottom) {
  if (!range) return;
  const x0 = toX(range[0]), x1 = toX(range[1]);
  g.save();
  g.beginPath(); g.rect(NAMES, top, width - NAMES, bottom - top); g.clip();
  g.fillStyle = theme.accent; g.globalAlpha = 0.16; g.fillRect(x0, top, x1 - x0, bottom - top);
  g.globalAlpha = 1; g.fillRect(x0, top, 1, bottom - top); g.fillRect(x1 - 1, top, 1, bottom - top);
  const text = time(range[1] - range[0]), wide = g.measureText(text).width + 8, at = Math.max(NAMES, Math.min(width - wide, (x0 + x1 - wide) / 2));
  g.fillRect(at, top, wide, 16); g.fillStyle = theme.bg; g.fillText(text, at + 4, top + 12);
  g.restore();
}
/** @param {number | null} from null: none @param {number} [to] */
export function setRange(from, to = 0) { range = from === null ? null : [Math.max(0, Math.min(from, to)), Math.min(length, Math.max(from, to))]; remember(); redraw(); }

/** The outermost phases, behind all lanes, where they are wide enough and not too many. */
function drawBands(g) {
  if (!$('bands').checked) return;
  const most = 200, seen = [];
  for (const lane of bandLanes) {
    const row = lane.rows[0];
    for (let i = above(row.end, view.t0); i < row.begin.length && row.begin[i] < view.t1 && seen.length <= most; ++i) if (toX(row.end[i]) - toX(row.begin[i]) > 3) seen.push([row, i]);
  }
  if (seen.length > most) return;
  for (const [row, i] of seen) {
    const x0 = Math.max(NAMES, toX(row.begin[i])), x1 = Math.min(width, toX(row.end[i]));
    g.fillStyle = phaseColour(row.name[i]); g.globalAlpha = 0.16;
    g.fillRect(x0, AXIS, x1 - x0, height - AXIS);
  }
  g.globalAlpha = 1;
}

function draw() {
  pending = false;
  const began = performance.now();
  const top = $('scroller').scrollTop, bottom = top + $('scroller').clientHeight;
  ctx.setTransform(scale, 0, 0, scale, 0, -top * scale);
  ctx.fillStyle = theme.bg; ctx.fillRect(0, top, width, bottom - top);
  const visible = order.filter((lane) => lane.y + lane.height >= top && lane.y <= bottom);
  for (const lane of visible) { ctx.fillStyle = theme.lane; ctx.fillRect(NAMES, lane.y, width - NAMES, lane.height); }
  drawBands(ctx);
  grid(ctx);
  ctx.font = '11px system-ui, sans-serif';
  for (const lane of visible) for (const row of rowsOf(lane)) drawRow(ctx, row, lane.y + row.depth * ROW, ROW - 1, view.t0, view.t1, NAMES, width - NAMES, true);
  for (const lane of visible) if (hasSummary(lane) && lane.activity) drawActivity(ctx, lane.activity, summaryY(lane), ROW - 1, view.t0, view.t1, NAMES, width - NAMES);
  for (const lane of visible) if (lane.sampled) drawSampled(ctx, lane);
  for (const counter of meta.counters) if (counter.y <= bottom && counter.y + COUNTER >= top) drawCounter(ctx, counter);
  drawArrows(ctx);
  drawPath(ctx);
  if (selected && !selected.row.lane.hidden) {
    const {row, index} = selected, depth = Math.min(row.depth, rowsOf(row.lane).length - 1);
    const x0 = Math.max(NAMES, toX(row.begin[index])), x1 = Math.min(width, toX(row.end[index]));
    ctx.strokeStyle = theme.mark; ctx.lineWidth = 2; ctx.strokeRect(x0 - 1, row.lane.y + depth * ROW - 1, Math.max(3, x1 - x0 + 2), ROW + 1);
  }
  for (const lane of visible) {
    ctx.fillStyle = theme.bg; ctx.fillRect(0, lane.y - 2, NAMES, lane.height + 4);
    ctx.fillStyle = theme.fg; ctx.font = '12px system-ui, sans-serif';
    const name = fitting((lane.pinned ? '• ' : '') + lane.name, (NAMES - 24) / 6.2);
    ctx.fillText((lane.rows.length > 1 ? (lane.folded ? '▸ ' : '▾ ') : '  ') + name, 4, lane.y + 11);
  }
  axis(ctx, top);
  drawRange(ctx, top, bottom);
  drawViewport();
  noteZoom();
  drawing.ms = performance.now() - began; drawing.lanes = visible.length;
  if (!drawing.readyAt) { drawing.readyAt = performance.now(); document.documentElement.dataset.ready = '1'; }
}

/** At the end of the zoom: where slices were put together, or where the page draws no finer. How one goes on. */
function noteZoom() {
  const span = view.t1 - view.t0, coarse = sides.find((one) => one.dropped && span < 50 * one.threshold), of = coarse || (span <= leastSpan && sides[0].threshold !== undefined ? sides[0] : null);
  const text = of ? `${coarse ? 'shorter slices are put together here' : 'the page goes no further'}; single events: tracer view ${of.report.trace.archive.replace(/traces\.otf2$/, '')}` : '';
  if ($('zoomNote').textContent !== text) $('zoomNote').textContent = text;
}

/** @type {ImageData | null} */
let overviewImage = null;
export function drawOverview() {
  octx.setTransform(scale, 0, 0, scale, 0, 0);
  octx.fillStyle = theme.bg; octx.fillRect(0, 0, width, 36);
  const h = Math.max(1, 32 / order.length), keep = matches, tall = 32 / sides.length, isSummed = sides.every((one) => one.activity);
  matches = null;
  if (isSummed) sides.forEach((one, i) => drawActivity(octx, one.activity, 2 + i * tall, tall - 1, 0, length, NAMES, width - NAMES));
  else order.forEach((lane, i) => { for (const row of lane.overview || lane.rows) drawRow(octx, row, 2 + i * 32 / order.length, Math.max(0.8, h - (h > 4 ? 1 : 0)), 0, length, NAMES, width - NAMES, false); });
  matches = keep;
  overviewImage = octx.getImageData(0, 0, overview.width, overview.height);
}
function drawViewport() {
  if (!overviewImage) return;
  octx.putImageData(overviewImage, 0, 0);
  const px = (t) => NAMES + Math.max(0, Math.min(1, t / length)) * (width - NAMES);
  octx.fillStyle = theme.bg; octx.globalAlpha = 0.6;
  octx.fillRect(NAMES, 0, px(view.t0) - NAMES, 36); octx.fillRect(px(view.t1), 0, width - px(view.t1), 36);
  octx.globalAlpha = 1; octx.strokeStyle = theme.accent; octx.strokeRect(px(view.t0), 1, Math.max(2, px(view.t1) - px(view.t0)), 34);
  octx.fillStyle = theme.muted; octx.font = '11px system-ui, sans-serif';
  octx.fillText('whole run, ' + time(length), 8, 15); octx.fillText('shown: ' + time(view.t1 - view.t0), 8, 30);
}
