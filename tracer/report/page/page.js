// The report's page: decodes the slices, draws the timeline and fills the tables. No library, no network.
'use strict';
(() => {
const $ = (id) => document.getElementById(id);
const meta = JSON.parse($('meta').textContent);
const report = meta.report;
const NAMES = 190;           // columns of the names of the lanes
const AXIS = 22, ROW = 15, GAP = 7, COUNTER = 34;

// ---- Decoding: per row, variable-length integers: gap since the last end, duration, name.
function decode() {
  const text = $('slices').textContent.trim();
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  $('slices').textContent = '';
  let at = 0;
  const number = () => {
    let value = 0, factor = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128; } while (byte & 128);
    return value;
  };
  const lanes = meta.locations.map((location, index) => ({...location, index, rows: [], y: 0, height: 0}));
  for (const [location, depth, count] of meta.rows) {
    const row = {begin: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count), depth, lane: lanes[location]};
    let last = 0;
    for (let i = 0; i < count; ++i) {
      const begin = last + number();
      last = begin + number();
      row.begin[i] = begin; row.end[i] = last; row.name[i] = number();
    }
    lanes[location].rows[depth] = row;
  }
  const empty = {begin: new Float64Array(0), end: new Float64Array(0), name: new Uint32Array(0)};
  for (const lane of lanes) for (let d = 0; d < lane.rows.length; ++d) lane.rows[d] ||= {...empty, depth: d, lane};
  return lanes;
}
const lanes = decode();
const length = Math.max(1, meta.length);

// ---- Numbers as people read them.
const digits = (value) => Number(value.toPrecision(4)).toString();
function time(ns) {
  const sign = ns < 0 ? '-' : ''; ns = Math.abs(ns);
  return sign + (ns < 1e3 ? digits(ns) + ' ns' : ns < 1e6 ? digits(ns / 1e3) + ' µs' : ns < 1e9 ? digits(ns / 1e6) + ' ms' : digits(ns / 1e9) + ' s');
}
const bytesText = (b) => { let u = 0; const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']; while (b >= 1024 && u < 4) { b /= 1024; ++u; } return digits(b) + ' ' + units[u]; };
const count = (n) => Math.round(n).toLocaleString('en');
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + ' %' : '-';
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));

// ---- Colours: waiting is grey and red, work has the colours.
const activities = ['work', 'barrier', 'task_wait', 'lock_wait', 'runtime', 'device', 'idle'];
const activityNames = {work: 'work', barrier: 'barrier', task_wait: 'taskwait', lock_wait: 'locks', runtime: 'runtime', device: 'waiting for devices', idle: 'idle'};
let dark = false;
function activityColour(name) {
  const hue = {work: [210, 65], barrier: [4, 62], task_wait: [28, 75], lock_wait: [330, 60], runtime: [265, 40], device: [170, 45], idle: [0, 0]}[name];
  return `hsl(${hue[0]} ${hue[1]}% ${name === 'idle' ? (dark ? 25 : 88) : dark ? 48 : 62}%)`;
}
let colours = [];
function makeColours() {
  colours = meta.names.map((name, i) => {
    const activity = meta.activities[i];
    if (i >= meta.names.length - 1) return dark ? '#59616d' : '#a9b1bd';  // many short ones
    if (activity !== 'work') return activityColour(activity);
    let hash = 0;
    for (let k = 0; k < name.length; ++k) hash = (hash * 31 + name.charCodeAt(k)) >>> 0;
    const hues = [205, 140, 48, 258, 185, 95, 225, 75, 160, 285];
    return `hsl(${hues[hash % hues.length]} ${52 + (hash >> 8) % 18}% ${(dark ? 42 : 66) + (hash >> 16) % 9}%)`;
  });
}

// ---- The view.
const canvas = $('timeline'), ctx = canvas.getContext('2d');
const overview = $('overview'), octx = overview.getContext('2d');
const view = {t0: 0, t1: length};
let width = 0, height = 0, scale = 1, pending = false, matches = null, selected = null, hover = null, range = null;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let theme = {};
function readTheme() { theme = {bg: style('--bg'), fg: style('--fg'), muted: style('--muted'), line: style('--line'), lane: style('--lane'), accent: style('--accent'), mark: style('--mark')}; }

function layout() {
  width = $('stage').clientWidth;
  let y = AXIS;
  for (const lane of lanes) { lane.y = y; lane.height = Math.max(1, lane.rows.length) * ROW; y += lane.height + GAP; }
  for (const counter of meta.counters) { counter.y = y; y += COUNTER + GAP; }
  height = y;
  scale = Math.min(2, window.devicePixelRatio || 1);
  if (height * scale > 16000) scale = Math.max(0.5, 16000 / height);
  for (const [c, h] of [[canvas, height], [overview, 36]]) { c.width = Math.round(width * scale); c.height = Math.round(h * scale); }
  canvas.style.height = height + 'px';
  drawOverview();
  redraw();
}
const toX = (t) => NAMES + (t - view.t0) * (width - NAMES) / (view.t1 - view.t0);
const toTime = (x) => view.t0 + (x - NAMES) * (view.t1 - view.t0) / (width - NAMES);
function setView(t0, t1) {
  const least = 20;
  let span = Math.max(least, Math.min(t1 - t0, length * 1.02));
  const middle = (t0 + t1) / 2;
  t0 = middle - span / 2;
  t0 = Math.max(-length * 0.01, Math.min(t0, length * 1.01 - span));
  view.t0 = t0; view.t1 = t0 + span;
  redraw();
}
function zoom(factor, at = (view.t0 + view.t1) / 2) { setView(at - (at - view.t0) * factor, at + (view.t1 - at) * factor); }
function pan(share) { const by = share * (view.t1 - view.t0); setView(view.t0 + by, view.t1 + by); }
function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

/** First index whose value is greater than `t`; `from` is a lower bound that is known. */
function above(array, t, from = 0) {
  let step = 1, low = from, high = from;
  while (high < array.length && array[high] <= t) { low = high + 1; high += step; step *= 2; }
  high = Math.min(high, array.length);
  while (low < high) { const mid = (low + high) >> 1; if (array[mid] <= t) low = mid + 1; else high = mid; }
  return low;
}

/** Slices narrower than a pixel share one column, of the colour of the longest of the first few: the cost is that of the columns. */
function drawRow(g, row, y, h, t0, t1, x0, pixels, labels) {
  const perPixel = (t1 - t0) / pixels, n = row.begin.length;
  let i = above(row.end, t0), last = null;
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
    const dim = matches && !matches.has(name);
    const colour = colours[name];
    if (last !== colour) { g.fillStyle = colour; last = colour; }
    g.globalAlpha = dim ? 0.18 : 1;
    g.fillRect(x0 + left, y, Math.max(right - left - (right - left > 4 ? 0.6 : 0), 0.8), h);
    if (labels && right - left > 34 && !dim) {
      g.fillStyle = dark ? '#f2f5f9' : '#101418'; last = null;
      const chars = Math.floor((right - left - 6) / 6.1);
      const label = meta.labels[name];
      g.fillText(label.length <= chars ? label : label.slice(0, Math.max(1, chars - 1)) + '…', x0 + left + 3, y + h - 3.5);
    }
    i = next;
  }
  g.globalAlpha = 1;
}

function axis(g) {
  const span = view.t1 - view.t0, wanted = span / Math.max(2, (width - NAMES) / 110);
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= wanted);
  g.font = '11px system-ui, sans-serif';
  g.fillStyle = theme.muted; g.strokeStyle = theme.line; g.lineWidth = 1;
  const top = $('scroller').scrollTop;
  for (let t = Math.ceil(view.t0 / step) * step; t <= view.t1; t += step) {
    const x = Math.round(toX(t)) + 0.5;
    g.beginPath(); g.moveTo(x, AXIS - 6); g.lineTo(x, height); g.stroke();
    g.fillText(time(Math.abs(t) < step / 1e6 ? 0 : t), x + 3, Math.max(0, top) + 13);
  }
}

function drawCounter(g, counter) {
  const h = COUNTER, n = counter.time.length;
  let i = Math.max(0, above(counter.time, view.t0) - 1);
  g.fillStyle = activityColour('device'); g.globalAlpha = 0.65;
  for (; i < n && counter.time[i] < view.t1; ++i) {
    const x0 = Math.max(NAMES, toX(counter.time[i])), x1 = Math.min(width, toX(i + 1 < n ? counter.time[i + 1] : length));
    const tall = counter.max ? h * counter.value[i] / counter.max : 0;
    g.fillRect(x0, counter.y + h - tall, Math.max(0.7, x1 - x0), tall);
  }
  g.globalAlpha = 1;
  g.fillStyle = theme.bg; g.fillRect(0, counter.y, NAMES, h);
  g.fillStyle = theme.fg; g.fillText(counter.name, 8, counter.y + 14);
  g.fillStyle = theme.muted; g.fillText('up to ' + (counter.unit.startsWith('B') || counter.unit.startsWith('b') ? bytesText(counter.max) : count(counter.max)), 8, counter.y + 28);
}

/** The innermost slice of a lane at a time: where an arrow begins or ends. */
function heightAt(lane, t) {
  for (let d = lane.rows.length - 1; d > 0; --d) {
    const row = lane.rows[d], i = above(row.begin, t) - 1;
    if (i >= 0 && row.end[i] >= t) return lane.y + d * ROW + ROW / 2;
  }
  return lane.y + ROW / 2;
}

function drawArrows(g) {
  if (!$('arrows').checked) return;
  const a = meta.arrows, seen = [];
  for (let i = 0; i < a.length && seen.length <= 600; ++i) {
    if (a[i][4] < view.t0 || a[i][3] > view.t1) continue;
    if (a[i][0] === 2 && toX(a[i][4]) - toX(a[i][3]) < 12 && a[i][1] === a[i][2]) continue;
    seen.push(a[i]);
  }
  if (seen.length > 600) return;  // nothing to be seen among that many
  g.save();
  g.beginPath(); g.rect(NAMES, AXIS, width - NAMES, height); g.clip();
  g.lineWidth = 1;
  for (const [kind, from, to, t0, t1] of seen) {
    const x0 = toX(t0), x1 = toX(t1);
    if (x1 < NAMES || x0 > width || (kind === 2 && from === to && seen.length > 60)) continue;
    const y0 = heightAt(lanes[from], t0), y1 = heightAt(lanes[to], t1);
    g.strokeStyle = g.fillStyle = kind === 2 ? theme.muted : theme.mark;
    g.globalAlpha = kind === 2 ? Math.max(0.2, Math.min(0.5, 25 / seen.length)) : 0.8;
    const bend = Math.min(40, Math.abs(x1 - x0) / 2 + 6);
    g.beginPath(); g.moveTo(x0, y0); g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1); g.stroke();
    g.beginPath(); g.moveTo(x1, y1); g.lineTo(x1 - 6, y1 - 3); g.lineTo(x1 - 6, y1 + 3); g.fill();
  }
  g.restore();
}

function draw() {
  pending = false;
  const began = performance.now();
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.fillStyle = theme.bg; ctx.fillRect(0, 0, width, height);
  const top = $('scroller').scrollTop, bottom = top + $('scroller').clientHeight;
  const visible = lanes.filter((lane) => lane.y + lane.height >= top && lane.y <= bottom);
  for (const lane of visible) { ctx.fillStyle = theme.lane; ctx.fillRect(NAMES, lane.y, width - NAMES, lane.height); }
  axis(ctx);
  ctx.font = '11px system-ui, sans-serif';
  for (const lane of visible) for (const row of lane.rows) drawRow(ctx, row, lane.y + row.depth * ROW, ROW - 1, view.t0, view.t1, NAMES, width - NAMES, true);
  for (const counter of meta.counters) if (counter.y <= bottom) drawCounter(ctx, counter);
  drawArrows(ctx);
  if (selected) {
    const x0 = Math.max(NAMES, toX(selected.row.begin[selected.index])), x1 = Math.min(width, toX(selected.row.end[selected.index]));
    ctx.strokeStyle = theme.mark; ctx.lineWidth = 2;
    ctx.strokeRect(x0 - 1, selected.row.lane.y + selected.row.depth * ROW - 1, Math.max(3, x1 - x0 + 2), ROW + 1);
  }
  if (range) { ctx.fillStyle = theme.accent; ctx.globalAlpha = 0.2; ctx.fillRect(Math.min(...range), 0, Math.abs(range[1] - range[0]), height); ctx.globalAlpha = 1; }
  for (const lane of visible) {
    ctx.fillStyle = theme.bg; ctx.fillRect(0, lane.y - GAP, NAMES, lane.height + GAP);
    ctx.fillStyle = theme.fg; ctx.font = '12px system-ui, sans-serif';
    ctx.fillText(lane.name.length > 27 ? lane.name.slice(0, 26) + '…' : lane.name, 8, lane.y + 11);
  }
  drawViewport();
  page.drawMs = performance.now() - began;
  if (!page.readyAt) { page.readyAt = performance.now(); document.documentElement.dataset.ready = '1'; }
}

let overviewImage = null;
function drawOverview() {
  octx.setTransform(scale, 0, 0, scale, 0, 0);
  octx.fillStyle = theme.bg; octx.fillRect(0, 0, width, 36);
  const h = Math.max(1, 32 / lanes.length), keep = matches;
  matches = null;
  lanes.forEach((lane, i) => { for (const row of lane.rows) drawRow(octx, row, 2 + i * 32 / lanes.length, Math.max(0.8, h - (h > 4 ? 1 : 0)), 0, length, NAMES, width - NAMES, false); });
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

// ---- What is where.
function hit(x, y) {
  if (x < NAMES) return null;
  const lane = lanes.find((l) => y >= l.y && y < l.y + l.height);
  const row = lane && lane.rows[Math.floor((y - lane.y) / ROW)];
  if (!row) return null;
  const slack = (view.t1 - view.t0) / (width - NAMES) * 1.5, t = toTime(x);
  let i = above(row.end, t - slack);
  if (i >= row.begin.length || row.begin[i] > t + slack) return null;
  if (row.end[i] < t && i + 1 < row.begin.length && row.begin[i + 1] <= t) ++i;
  return {row, index: i};
}
function describe(what) {
  const {row, index} = what, name = row.name[index], begin = row.begin[index], end = row.end[index], source = meta.sources[name];
  let text = `<b>${escape(meta.names[name])}</b><br>${time(end - begin)} on ${escape(row.lane.name)}, from ${time(begin)} to ${time(end)}`;
  if (source) text += `<br>${escape(source)}`;
  const copy = meta.copies.find((c) => c[0] === row.lane.index && c[1] === begin);
  if (copy) text += `<br>${bytesText(copy[2])}, ${end > begin ? bytesText(copy[2] * 1e9 / (end - begin)) + '/s' : ''}`;
  const outer = row.depth > 0 && row.lane.rows[row.depth - 1];
  if (outer) { const k = above(outer.end, begin); if (k < outer.begin.length && outer.begin[k] <= begin) text += `<br>in ${escape(meta.names[outer.name[k]])}`; }
  const total = report.constructs.find((c) => c.region === name);
  if (total) text += `<br>all: ${count(total.count)} times, ${time(total.total_ns)}, mean ${time(total.mean_ns)}, longest ${time(total.longest_ns)}`;
  return text;
}
function select(what, show) {
  selected = what;
  if (what) {
    $('details').innerHTML = describe(what).replaceAll('<br>', ' · ');
    if (show) reveal(what);
  }
  redraw();
}
function reveal(what) {
  const {row, index} = what, lane = row.lane, scroller = $('scroller');
  if (lane.y < scroller.scrollTop + AXIS || lane.y + lane.height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = Math.max(0, lane.y - AXIS);
  const begin = row.begin[index], end = row.end[index];
  if (end < view.t0 || begin > view.t1) { const span = view.t1 - view.t0, middle = (begin + end) / 2; setView(middle - span / 2, middle + span / 2); }
}
function zoomTo(what) {
  const begin = what.row.begin[what.index], end = what.row.end[what.index], margin = Math.max(20, (end - begin) * 0.3);
  setView(begin - margin, end + margin);
  select(what, true);
}

// ---- Search.
let matchList = [], matchAt = -1;
function search(text) {
  text = text.trim().toLowerCase();
  matches = null; matchList = []; matchAt = -1;
  if (text) {
    matches = new Set();
    meta.names.forEach((name, i) => { if (name.toLowerCase().includes(text)) matches.add(i); });
    for (const lane of lanes) for (const row of lane.rows) {
      if (matchList.length >= 100000) break;
      for (let i = 0; i < row.name.length && matchList.length < 100000; ++i) if (matches.has(row.name[i])) matchList.push({row, index: i});
    }
    matchList.sort((a, b) => a.row.begin[a.index] - b.row.begin[b.index]);
  }
  $('found').textContent = text ? (matchList.length ? count(matchList.length) + (matchList.length >= 100000 ? '+' : '') + ' found' : 'nothing found') : '';
  redraw();
  return matchList.length;
}
function step(by) {
  if (!matchList.length) return;
  matchAt = (matchAt + by + matchList.length) % matchList.length;
  $('found').textContent = `${count(matchAt + 1)} of ${count(matchList.length)}`;
  select(matchList[matchAt], true);
}
/** The longest slice of a name: what one wants to see first when coming from a table. */
function longest(nameIndex) {
  let best = null, most = -1;
  for (const lane of lanes) for (const row of lane.rows) for (let i = 0; i < row.name.length; ++i) {
    if (row.name[i] === nameIndex && row.end[i] - row.begin[i] > most) { most = row.end[i] - row.begin[i]; best = {row, index: i}; }
  }
  return best;
}
function goTo(name) {
  const index = meta.names.indexOf(name);
  $('search').value = name; search(name);
  const what = index >= 0 && longest(index);
  if (what) { zoomTo(what); $('stage').scrollIntoView(); }
  return Boolean(what);
}

// ---- Mouse and keys.
let drag = null;
canvas.addEventListener('wheel', (e) => {
  if (e.shiftKey) return;
  e.preventDefault();
  if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX / width); else zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) * 0.002), toTime(Math.max(NAMES, e.offsetX)));
}, {passive: false});
canvas.addEventListener('pointerdown', (e) => { drag = {x: e.offsetX, t0: view.t0, t1: view.t1, moved: false, range: e.shiftKey}; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener('pointermove', (e) => {
  if (drag) {
    if (Math.abs(e.offsetX - drag.x) > 3) drag.moved = true;
    if (drag.range) { range = [drag.x, e.offsetX]; redraw(); } else if (drag.moved) { const by = (drag.x - e.offsetX) * (drag.t1 - drag.t0) / (width - NAMES); setView(drag.t0 + by, drag.t1 + by); }
    $('tooltip').hidden = true;
    return;
  }
  hover = hit(e.offsetX, e.offsetY);
  const tip = $('tooltip');
  tip.hidden = !hover;
  if (!hover) return;
  tip.innerHTML = describe(hover);
  tip.style.left = Math.min(e.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = Math.min(e.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
});
canvas.addEventListener('pointerup', (e) => {
  if (drag && range && Math.abs(range[1] - range[0]) > 3) setView(toTime(Math.min(...range)), toTime(Math.max(...range)));
  else if (drag && !drag.moved) select(hit(e.offsetX, e.offsetY), false);
  drag = null; range = null; redraw();
});
canvas.addEventListener('pointerleave', () => { $('tooltip').hidden = true; });
canvas.addEventListener('dblclick', (e) => { const what = hit(e.offsetX, e.offsetY); if (what) zoomTo(what); });
$('scroller').addEventListener('scroll', redraw);
function overviewTo(e) { const t = (e.offsetX - NAMES) / (width - NAMES) * length, span = view.t1 - view.t0; setView(t - span / 2, t + span / 2); }
overview.addEventListener('pointerdown', (e) => { overview.setPointerCapture(e.pointerId); overviewTo(e); });
overview.addEventListener('pointermove', (e) => { if (e.buttons) overviewTo(e); });

function selectNear(key) {
  if (!selected) { const lane = lanes.find((l) => l.rows.length); const i = lane ? above(lane.rows[0].end, view.t0) : 0; return lane && i < lane.rows[0].begin.length && select({row: lane.rows[0], index: i}, true); }
  const {row, index} = selected;
  if (key === 'ArrowLeft' && index > 0) return select({row, index: index - 1}, true);
  if (key === 'ArrowRight' && index + 1 < row.begin.length) return select({row, index: index + 1}, true);
  const all = lanes.flatMap((l) => l.rows), other = all[all.indexOf(row) + (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0)];
  if (other && other !== row && other.begin.length) select({row: other, index: Math.min(other.begin.length - 1, above(other.end, row.begin[index]))}, true);
}
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.target === $('search')) {
    if (e.key === 'Enter') { step(e.shiftKey ? -1 : 1); e.preventDefault(); }
    if (e.key === 'Escape') { $('search').value = ''; search(''); canvas.focus(); }
    return;
  }
  if (e.target.closest && e.target.closest('main, dialog, nav') && e.key.startsWith('Arrow')) return;
  if (e.target.tagName === 'BUTTON' && (e.key === 'Enter' || e.key === ' ')) return;
  if (e.shiftKey && e.key.startsWith('Arrow')) { selectNear(e.key); e.preventDefault(); return; }
  const keys = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), a: () => pan(-0.15), d: () => pan(0.15),
    ArrowUp: () => { $('scroller').scrollTop -= 60; }, ArrowDown: () => { $('scroller').scrollTop += 60; },
    '+': () => zoom(0.7), '=': () => zoom(0.7), w: () => zoom(0.7), '-': () => zoom(1 / 0.7), s: () => zoom(1 / 0.7),
    '0': () => setView(-length * 0.01, length * 1.01), Home: () => setView(-length * 0.01, length * 1.01),
    Enter: () => selected && zoomTo(selected), n: () => step(1), N: () => step(-1), '/': () => $('search').focus(),
    Escape: () => { selected = null; $('search').value = ''; search(''); }, t: () => setTheme(!dark), '?': () => $('keys').showModal(),
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
window.addEventListener('resize', layout);

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  readTheme(); makeColours(); layout(); showTab(current);
}

// ---- Tables.
const link = (name) => `<a href="#" data-go="${escape(name)}">${escape(name)}</a>`;
/** Columns: [title, cell(row) as HTML, number(row) to sort by or null]. */
function table(title, rows, columns) {
  const section = document.createElement('section');
  if (title) section.innerHTML = `<h2>${escape(title)}</h2>`;
  const element = document.createElement('table');
  const shown = 300;
  const fill = (sorted) => {
    element.tBodies[0].innerHTML = sorted.slice(0, shown).map((row) => '<tr>' + columns.map((c) => `<td class="${c[2] ? 'n' : ''}">${c[1](row)}</td>`).join('') + '</tr>').join('') +
      (sorted.length > shown ? `<tr><td colspan="${columns.length}" class="muted">... and ${sorted.length - shown} more: tracer report --json has them all</td></tr>` : '');
  };
  element.innerHTML = '<thead><tr>' + columns.map((c, i) => `<th class="${c[2] ? 'n' : ''}">${c[2] ? `<button data-sort="${i}">${escape(c[0])}</button>` : escape(c[0])}</th>`).join('') + '</tr></thead><tbody></tbody>';
  element.tHead.addEventListener('click', (e) => {
    const i = e.target.dataset.sort;
    if (i !== undefined) fill([...rows].sort((a, b) => columns[i][2](b) - columns[i][2](a)));
  });
  fill(rows);
  section.append(element);
  return section;
}
const bar = (times, whole) => '<div class="bar" role="img" aria-label="' + activities.map((a) => `${activityNames[a]} ${percent(times[a + '_ns'], whole)}`).join(', ') + '">' +
  activities.map((a) => `<span title="${activityNames[a]} ${time(times[a + '_ns'])} (${percent(times[a + '_ns'], whole)})" style="width:${whole ? 100 * times[a + '_ns'] / whole : 0}%;background:${activityColour(a)}"></span>`).join('') + '</div>';
const sum = (times) => activities.reduce((s, a) => s + times[a + '_ns'], 0);
function legend() {
  const div = document.createElement('div');
  div.className = 'legend';
  div.innerHTML = activities.map((a) => `<span><i style="background:${activityColour(a)}"></i>${activityNames[a]}</span>`).join('');
  return div;
}
const html = (text) => { const div = document.createElement('div'); div.innerHTML = text; return div; };
const cards = (list) => html('<div class="cards">' + list.map(([label, value]) => `<div class="card"><span class="muted">${escape(label)}</span><b>${escape(value)}</b></div>`).join('') + '</div>');
const laneName = (location) => meta.locations[location] ? meta.locations[location].name : '';

const panels = {
  Summary: () => {
    const list = [['wall time', time(report.wall_ns)], ['threads', count(report.trace.threads)]];
    if (report.trace.streams) list.push(['device streams', count(report.trace.streams)]);
    list.push(['events', count(report.trace.events)]);
    if (report.critical_path_ns) list.push(['parallelism', digits(report.work_ns / report.critical_path_ns)], ['longest path', time(report.critical_path_ns)]);
    if (report.tasks.created) list.push(['tasks', count(report.tasks.created)]);
    const parts = [cards(list)];
    if (meta.dropped) parts.push(html(`<p class="muted">The timeline shows the ${count(meta.shown)} longest slices; ${count(meta.dropped)} shorter than ${time(meta.threshold)} are drawn together. The numbers below are of all.</p>`));
    if (meta.leftOut) parts.push(html(`<p class="muted">The timeline is without ${count(meta.leftOut)} slices shorter than ${time(meta.shortest)}.</p>`));
    if (report.trace.properties['TRACER::FILTER']) parts.push(html(`<p class="muted">Filtered: ${escape(report.trace.properties['TRACER::FILTER'])}</p>`));
    parts.push(html('<h2>What stands out</h2>' + (report.hints.length ? '<ul class="hints">' + report.hints.map((h) => `<li>${escape(h.text)}</li>`).join('') + '</ul>' : '<p class="muted">Nothing: work is spread evenly and little time is spent waiting.</p>')));
    parts.push(html('<h2>What the threads did</h2>'), legend());
    parts.push(table('', report.threads, [['thread', (r) => escape(r.name)], ['time', (r) => bar(r.time, report.wall_ns)], ['work', (r) => percent(r.time.work_ns, report.wall_ns), (r) => r.time.work_ns],
      ['barrier', (r) => percent(r.time.barrier_ns, report.wall_ns), (r) => r.time.barrier_ns], ['tasks', (r) => count(r.tasks), (r) => r.tasks], ['events', (r) => count(r.events), (r) => r.events]]));
    return parts;
  },
  Constructs: () => [table('', report.constructs, [['construct', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['self', (r) => time(r.exclusive_ns), (r) => r.exclusive_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean], ['lost', (r) => time(r.balance.lost_ns), (r) => r.balance.lost_ns]])],
  'Parallel regions': () => [legend(), table('', report.parallel_regions, [['region', (r) => link(r.name)], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['wall', (r) => time(r.wall_ns), (r) => r.wall_ns],
    ['threads', (r) => count(r.threads), (r) => r.threads], ['lost to imbalance', (r) => percent(r.balance.lost_ns, r.wall_ns), (r) => r.balance.lost_ns / (r.wall_ns || 1)], ['slowest', (r) => escape(r.balance.slowest)]]),
    ...report.parallel_regions.slice(0, 20).map((r) => table(r.name, r.members, [['thread', (m) => escape(laneName(m.location))], ['time', (m) => bar(m.time, sum(m.time))],
      ['work', (m) => time(m.time.work_ns), (m) => m.time.work_ns], ['waits at barriers', (m) => time(m.time.barrier_ns), (m) => m.time.barrier_ns]]))],
  Tasks: () => {
    const t = report.tasks, parts = [cards([['tasks', count(t.created)], ['mean', time(t.mean_ns)], ['longest', time(t.longest_ns)], ['dependences', count(t.dependences)], ['longest path', count(t.graph.critical_path_tasks) + ' tasks, ' + time(t.graph.critical_path_ns)], ['longest chain of dependences', count(t.graph.chain_tasks) + ' tasks, ' + time(t.graph.chain_ns)],
      ['parallelism of the graph', digits(t.graph.parallelism)], ['start after creation', time(t.start_delay_ns)], ['run by another thread', percent(t.run_by_other_thread, t.completed)], ['waiting', time(t.wait_ns)]])];
    parts.push(table('', t.regions, [['task', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['shortest', (r) => time(r.shortest_ns), (r) => r.shortest_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]]));
    if (meta.tasks.length) parts.push(html('<h2>Task graph</h2>' + (meta.tasksLeftOut ? `<p class="muted">The first ${count(meta.tasks.length)} tasks; ${count(meta.tasksLeftOut)} more are not drawn.</p>` : '') +
      '<p class="muted">Left to right: what must come first. Solid: depend. Dotted: created by. Wheel zooms, dragging moves, a click shows the task in the timeline.</p><canvas id="graph" tabindex="0" role="img" aria-label="Task graph"></canvas>'));
    return parts;
  },
  Locks: () => [table('', report.locks, [['lock', (r) => link(r.name) + ` <span class="muted">#${r.lock}</span>`], ['acquired', (r) => count(r.acquisitions), (r) => r.acquisitions], ['found taken', (r) => percent(r.contended, r.acquisitions), (r) => r.contended / (r.acquisitions || 1)],
    ['waited', (r) => time(r.wait_ns), (r) => r.wait_ns], ['longest wait', (r) => time(r.longest_wait_ns), (r) => r.longest_wait_ns], ['held', (r) => time(r.held_ns), (r) => r.held_ns]])],
  Devices: () => report.devices.flatMap((d) => [html(`<h2>${escape(d.name)}</h2>` + (d.provider ? `<p class="muted">recorded by ${escape(d.provider)}</p>` : '')),
    cards([['busy', time(d.busy_ns)], ['idle', percent(d.idle_ns, d.span_ns)], ['while the host works', percent(d.overlap_host_ns, d.busy_ns)], ['kernels with copies', percent(d.overlap_transfer_ns, d.busy_ns)],
      ['to the device', `${bytesText(d.to_device.bytes)}, ${bytesText(d.to_device.bytes_per_second)}/s`], ['from the device', `${bytesText(d.from_device.bytes)}, ${bytesText(d.from_device.bytes_per_second)}/s`]]),
    table('', d.kernels_by_name, [['kernel', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]])]),
  Trace: () => [table('', Object.entries(report.trace.properties), [['property', (r) => escape(r[0])], ['value', (r) => escape(r[1])]]), table('Events', Object.entries(report.event_counts), [['event', (r) => escape(r[0])], ['count', (r) => count(r[1]), (r) => r[1]]]),
    table('Callbacks', Object.entries(report.callbacks), [['callback', (r) => escape(r[0])], ['count', (r) => count(r[1]), (r) => r[1]]])],
};
let current = 'Summary';
function tabNames() {
  return Object.keys(panels).filter((name) => !(name === 'Tasks' && !report.tasks.created) && !(name === 'Locks' && !report.locks.length) && !(name === 'Devices' && !report.devices.length) && !(name === 'Parallel regions' && !report.parallel_regions.length));
}
function showTab(name) {
  current = name;
  $('tabs').replaceChildren(...tabNames().map((tab) => {
    const button = document.createElement('button');
    button.textContent = tab; button.role = 'tab'; button.setAttribute('aria-selected', tab === name); button.tabIndex = tab === name ? 0 : -1;
    button.onclick = () => { showTab(tab); };
    button.onkeydown = (e) => { const all = tabNames(), by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0; if (by) { showTab(all[(all.indexOf(tab) + by + all.length) % all.length]); $('tabs').querySelector('[aria-selected="true"]').focus(); e.preventDefault(); e.stopPropagation(); } };
    return button;
  }));
  $('panel').replaceChildren(...panels[name]());
  if (name === 'Tasks') drawGraph();
}
$('panel').addEventListener('click', (e) => { if (e.target.dataset.go) { e.preventDefault(); goTo(e.target.dataset.go); } });

// ---- Task graph: columns by the longest chain before a task.
function drawGraph() {
  const element = $('graph');
  if (!element) return;
  const tasks = meta.tasks, byNumber = new Map(tasks.map((t, i) => [t.id, i]));
  const before = tasks.map((t) => t.after.map((id) => byNumber.get(id)).filter((i) => i !== undefined));
  const column = tasks.map(() => 0);
  tasks.forEach((t, i) => { const parent = byNumber.get(t.parent); column[i] = Math.max(parent === undefined ? 0 : column[parent] + 1, ...before[i].map((k) => column[k] + 1)); });
  const filled = [], place = tasks.map((t, i) => { const c = column[i]; filled[c] = (filled[c] || 0) + 1; return {x: 40 + c * 130, y: 24 + (filled[c] - 1) * 30}; });
  const box = {x: 0, y: 0, k: 1}, g = element.getContext('2d');
  const paint = () => {
    const w = element.clientWidth, h = element.clientHeight;
    element.width = w * scale; element.height = h * scale;
    g.setTransform(scale, 0, 0, scale, 0, 0); g.fillStyle = theme.bg; g.fillRect(0, 0, w, h);
    g.translate(box.x, box.y); g.scale(box.k, box.k); g.font = '11px system-ui, sans-serif';
    const line = (from, to, dotted) => { const a = place[from], b = place[to]; g.setLineDash(dotted ? [2, 3] : []); g.strokeStyle = dotted ? theme.line : theme.muted; g.beginPath(); g.moveTo(a.x + 96, a.y); g.bezierCurveTo(a.x + 114, a.y, b.x - 18, b.y, b.x, b.y); g.stroke(); };
    tasks.forEach((t, i) => { for (const k of before[i]) line(k, i, false); const parent = byNumber.get(t.parent); if (parent !== undefined && !before[i].length) line(parent, i, true); });
    g.setLineDash([]);
    tasks.forEach((t, i) => {
      const {x, y} = place[i];
      g.fillStyle = colours[t.name] || theme.lane; g.fillRect(x, y - 11, 96, 22);
      if (t.critical) { g.strokeStyle = theme.mark; g.lineWidth = 2; g.strokeRect(x, y - 11, 96, 22); g.lineWidth = 1; }
      g.fillStyle = dark ? '#f2f5f9' : '#101418'; g.fillText(`#${t.id}  ${time(t.end - t.begin)}`, x + 5, y + 4);
    });
  };
  let held = null;
  element.onwheel = (e) => { e.preventDefault(); const f = Math.exp(-e.deltaY * 0.002), k = Math.max(0.05, Math.min(4, box.k * f)); box.x = e.offsetX - (e.offsetX - box.x) * k / box.k; box.y = e.offsetY - (e.offsetY - box.y) * k / box.k; box.k = k; paint(); };
  element.onpointerdown = (e) => { held = {x: e.offsetX, y: e.offsetY, bx: box.x, by: box.y, moved: false}; element.setPointerCapture(e.pointerId); };
  element.onpointermove = (e) => { if (held) { box.x = held.bx + e.offsetX - held.x; box.y = held.by + e.offsetY - held.y; held.moved ||= Math.abs(e.offsetX - held.x) + Math.abs(e.offsetY - held.y) > 3; paint(); } };
  element.onpointerup = (e) => {
    if (held && !held.moved) {
      const x = (e.offsetX - box.x) / box.k, y = (e.offsetY - box.y) / box.k;
      const i = place.findIndex((p) => x >= p.x && x <= p.x + 96 && Math.abs(y - p.y) <= 11);
      if (i >= 0) { const t = tasks[i], margin = Math.max(20, (t.end - t.begin) * 0.5); setView(t.begin - margin, t.end + margin); $('stage').scrollIntoView(); }
    }
    held = null;
  };
  paint();
}

// ---- Start.
$('title').textContent = (report.trace.program || 'Trace').split('/').pop();
document.title = $('title').textContent + ' - Tracer report';
$('facts').textContent = `${time(report.wall_ns)}, ${count(report.trace.threads)} threads${report.trace.streams ? ', ' + count(report.trace.streams) + ' device streams' : ''}, ${count(report.trace.events)} events`;
const page = {lanes, meta, view, setView, search, step, goTo, zoomTo, setTheme, showTab, hit, selection: () => selected, readyAt: 0, drawMs: 0};
window.tracerReport = page;
view.t0 = -length * 0.01; view.t1 = length * 1.01;
setTheme(window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches);
})();
