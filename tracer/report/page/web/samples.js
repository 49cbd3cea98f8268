// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Samples: flame graph, top-down tree and functions of what is chosen by time, thread and construct.
import {activityColour, activityNames, colours, dark, inkOn} from './colours.js';
import {$, joined, onWidth, showTooltip, tag} from './dom.js';
import {count, fitting, percent, time} from './numbers.js';
import {above, bytesOf, integersOf} from './rows.js';
import {laneName, legend, link, part, table} from './panels.js';
import {byName, isWanted, range, scale, shownFor, theme, view} from './timeline.js';
import {activities, compared, lanes, length, meta, report, side, sides} from './trace.js';

/** Per location cells of (gap in units, kind, number, by how much each counter went up). @param {string} base64 @param {any[]} traces whose cells these are */
export function decodeSamples(base64, traces) {
  const number = integersOf(bytesOf(base64));
  for (const of of traces) {
    if (!of.samples) continue;
    const {nodes, cells, unit, counters} = of.samples;
    of.samples.parent = nodes.filter((_, i) => i % 2 === 0);
    of.samples.frame = nodes.filter((_, i) => i % 2 === 1);
    of.samples.lanes = new Map();
    for (const [location, cellCount] of cells) {
      const lane = {time: new Float64Array(cellCount), kind: new Uint32Array(cellCount), count: new Uint32Array(cellCount), counted: counters.map(() => new Float64Array(cellCount))};
      let bin = 0;
      for (let i = 0; i < cellCount; ++i) {
        bin += number(); lane.time[i] = bin * unit; lane.kind[i] = number(); lane.count[i] = number();
        for (const counted of lane.counted) counted[i] = number();
      }
      of.samples.lanes.set(location, lane);
    }
  }
}
decodeSamples($('samples').textContent, sides);
$('samples').textContent = '';

// ---- What is chosen.
/** @type {any} */
export const flame = {show: 'all', by: -1, thread: -1, construct: -1, constructName: '', threadName: '', root: 0, at: 0, boxes: [], open: new Map()};
const samplesOf = (of) => of.samples && of.samples.kinds.length ? of.samples : null;
/** Constructs on the paths, and regions that samples are in: names for the choice. */
function sampledConstructs(of) {
  const found = new Set();
  for (const [, , region] of of.samples.kinds) if (region >= 0) found.add(region);
  for (const [, , region] of of.samples.frames) if (region >= 0) found.add(region);
  return [...found].sort((a, b) => byName.compare(meta.names[of.name + a], meta.names[of.name + b]));
}
/** By kind: whether the construct that is chosen is the innermost one, or on the path. */
function chosenKinds(of, construct) {
  const {kinds, parent, frame, frames} = of.samples, within = [];
  for (let n = 0; n < parent.length; ++n) within[n] = n > 0 && (within[parent[n]] || frames[frame[n]][2] === construct);
  return kinds.map(([node, , region]) => construct < 0 || region === construct || within[node]);
}
const isWaitingKind = (activity) => ['barrier', 'task_wait', 'lock_wait', 'idle'].includes(activities[activity]);
/**
 * What is chosen, samples or what a counter counted at them, by node: {self: by activity, inside}, and all counters at work: {counted}. Of
 * the range that is measured, else of what is in view.
 */
function countSamples(of = side) {
  const s = of.samples, [begin, end] = range || [view.t0, view.t1], chosen = chosenKinds(of, flame.construct);
  const byKind = new Float64Array(s.kinds.length), counters = s.counters.map(() => new Float64Array(s.kinds.length));
  let threads = 0;
  for (const [location, lane] of s.lanes) {
    if (flame.thread >= 0 && location !== flame.thread) continue;
    if (flame.thread < 0 && !isWanted(shownFor(lanes[of.location + location]))) continue;
    ++threads;
    // A cell counts by its beginning: finer than its length is not known.
    for (let i = above(lane.time, begin - 1e-9); i < lane.time.length && lane.time[i] < end; ++i) {
      const kind = lane.kind[i];
      if (!chosen[kind]) continue;
      byKind[kind] += lane.count[i];
      lane.counted.forEach((counted, c) => { counters[c][kind] += counted[i]; });
    }
  }
  /** @type {any[]} */
  const self = s.parent.map(() => null);
  const inside = new Float64Array(s.parent.length), counted = counters.map(() => new Float64Array(s.parent.length));
  let whole = 0, waitingCount = 0;
  s.kinds.forEach(([node, activity], kind) => {
    const waits = isWaitingKind(activity), n = byKind[kind];
    if (!n) return;
    if (waits) waitingCount += n; else whole += n;
    if (flame.show === 'work' && waits || flame.show === 'waiting' && !waits) return;
    const amount = flame.by < 0 ? n : counters[flame.by][kind];
    (self[node] ||= new Float64Array(activities.length))[activity] += amount;
    inside[node] += amount;
    if (!waits) counters.forEach((values, c) => { counted[c][node] += values[kind]; });
  });
  for (let n = inside.length - 1; n > 0; --n) inside[s.parent[n]] += inside[n];
  return {self, inside, counted, work: whole, waiting: waitingCount, threads, begin, end};
}
/** The tree of what was counted, largest children first; waits are leaves of their own. */
function flameTree(counts, of = side) {
  const s = of.samples;
  /** @returns {any} */
  const make = (name, node, count, parent) => ({name, node, count, parent, children: [], depth: parent ? parent.depth + 1 : 0});
  const items = [make('all', 0, counts.inside[0], null)];
  for (let n = 1; n < s.parent.length; ++n) {
    if (!counts.inside[n]) continue;
    const parent = items[s.parent[n]], [name, file, region] = s.frames[s.frame[n]];
    const item = items[n] = Object.assign(make(name, n, counts.inside[n], parent), {file, region, key: parent.key ? `${parent.key};${name}` : name});
    parent.children.push(item);
  }
  for (const item of items) {
    const own = item && counts.self[item.node];
    if (!own) continue;
    item.self = own.reduce((a, b) => a + b, 0);
    activities.forEach((activity, i) => {
      if (own[i] && activity !== 'work') item.children.push(Object.assign(make(`[${activityNames[activity]}]`, -1, own[i], item), {activity, self: own[i], region: -1, file: '', key: `${item.key};[${activity}]`}));
    });
  }
  for (const item of items) if (item) item.children.sort((a, b) => b.count - a.count || byName.compare(a.name, b.name));
  return items[0];
}
/** An amount of a counter; -1: of samples, as time. */
const amountText = (n, by = flame.by) => by < 0 ? time(n * side.samples.period) : side.samples.counters[by][1] ? time(n) : count(n);
function frameColour(item) {
  if (item.activity) return activityColour(item.activity);
  if (item.region >= 0) return colours[side.name + item.region];
  let hash = 0;
  for (const c of item.name) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
  return `hsl(${200 + hash % 36} ${48 + (hash >>> 8) % 40}% ${(dark ? 36 : 62) + (hash >>> 16) % 18}%)`;  // as work in the timeline
}

// ---- The flame graph: the root above, as wide as it has samples. Below half a pixel nothing is drawn.
const FLAME = 18;
function drawFlame() {
  const element = $('flame');
  if (!element) return;
  const root = findItem(flame.tree, flame.root) || flame.tree, wide = element.clientWidth;
  flame.boxes = [];
  const place = (item, x, w, depth) => {
    if (w < 0.5) return;
    flame.boxes.push({item, x, w, depth});
    let at = x;
    for (const child of item.children) { const cw = w * child.count / (item.count || 1); place(child, at, cw, depth + 1); at += cw; }
  };
  const outer = [];
  for (let item = root.parent; item; item = item.parent) outer.unshift(item);
  outer.forEach((item, depth) => flame.boxes.push({item, x: 0, w: wide, depth, outer: true}));
  place(root, 0, wide, outer.length);
  const deep = 1 + Math.max(0, ...flame.boxes.map((box) => box.depth));
  element.style.height = deep * FLAME + 'px';
  element.width = wide * scale; element.height = deep * FLAME * scale;
  const g = element.getContext('2d');
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.fillStyle = theme.bg; g.fillRect(0, 0, wide, deep * FLAME);
  g.font = '12px system-ui, sans-serif';
  const wantedText = $('search').value.trim().toLowerCase();
  for (const {item, x, w, depth, outer} of flame.boxes) {
    const colour = frameColour(item), y = depth * FLAME;
    g.globalAlpha = outer || wantedText && !item.name.toLowerCase().includes(wantedText) ? 0.35 : 1;
    g.fillStyle = item.parent ? colour : theme.lane;
    g.fillRect(x, y, Math.max(0.5, w - (w > 3 ? 1 : 0)), FLAME - 1);
    g.globalAlpha = 1;
    if (item === flame.selected) { g.strokeStyle = theme.mark; g.lineWidth = 2; g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), FLAME - 3); }
    const chars = Math.floor((w - 6) / 6.6);
    if (chars < 3) continue;
    g.fillStyle = item.parent && !outer ? inkOn(colour) : theme.fg;
    g.fillText(fitting(item.name, chars), x + 3, y + 13);
  }
}
const findItem = (item, key) => { if (!key) return item; for (let at = item; at;) { const next = at.children.find((child) => child.key === key || key.startsWith(child.key + ';')); if (!next || next.key === key) return next || null; at = next; } return null; };
function describeFrame(item) {
  const counts = flame.counts, shown = counts.inside[0];
  const parts = [[tag('b', {}, item.name)], [`total ${amountText(item.count)} (${percent(item.count, shown)} of what is shown), itself ${amountText(item.self || 0)} (${percent(item.self || 0, shown)})`]];
  if (item.file) parts.push([item.file]);
  if (item.region >= 0) parts.push([tag('a', {href: '#', 'data-go': meta.names[side.name + item.region]}, 'find it in the timeline')]);
  if (item.parent && item.parent.count) parts.push([`${percent(item.count, item.parent.count)} of ${item.parent.name}`]);
  return joined(parts, () => ' · ').flat();
}
function selectFrame(item) {
  flame.selected = item; flame.at = item ? item.key : '';
  if (item) $('frame').replaceChildren(...describeFrame(item));
  drawFlame();
}
function zoomFlame(item) { flame.root = item && item.key || ''; selectFrame(item || flame.tree); }
function flameKey(e) {
  const item = flame.selected || flame.tree, siblings = item.parent ? item.parent.children : [item], at = siblings.indexOf(item);
  const keys = {
    ArrowUp: () => selectFrame(item.parent || item), ArrowDown: () => selectFrame(item.children[0] || item),
    ArrowLeft: () => selectFrame(siblings[Math.max(0, at - 1)]), ArrowRight: () => selectFrame(siblings[Math.min(siblings.length - 1, at + 1)]),
    Enter: () => zoomFlame(item), Backspace: () => { const root = findItem(flame.tree, flame.root); zoomFlame(root && root.parent || flame.tree); }, Home: () => zoomFlame(flame.tree),
  };
  if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey) return;
  keys[e.key](); e.preventDefault(); e.stopPropagation();
}
function flameBox(e) { return flame.boxes.find((b) => b.depth === Math.floor(e.offsetY / FLAME) && e.offsetX >= b.x && e.offsetX < b.x + b.w); }

// ---- The top-down tree.
const isOpen = (item, root) => flame.open.has(item.key) ? flame.open.get(item.key) : item.depth < 1 || item.count >= root.count * 0.1;
function treeRows() {
  const rows = [], most = 400;
  const walk = (item, level) => {
    if (rows.length >= most) return;
    rows.push({item, level});
    if (item.children.length && isOpen(item, flame.tree)) for (const child of item.children) walk(child, level + 1);
  };
  for (const child of flame.tree.children) walk(child, 1);
  return rows;
}
function drawTree() {
  const body = $('tree').tBodies[0], whole = flame.tree.count, rows = treeRows();
  body.replaceChildren(...rows.map(({item, level}, i) => tag('tr', {'data-row': i, role: 'row', 'aria-level': level, 'aria-expanded': item.children.length ? String(isOpen(item, flame.tree)) : undefined, tabindex: item.key === flame.at || !flame.at && i === 0 ? 0 : -1},
    tag('td', {style: `padding-left:${(level - 1) * 14}px`}, tag('i', {class: 'swatch', style: `background:${frameColour(item)}`}), item.children.length ? (isOpen(item, flame.tree) ? '▾ ' : '▸ ') : '', item.name),
    [amountText(item.count), percent(item.count, whole), item.self ? amountText(item.self) : '-'].map((text) => tag('td', {class: 'n'}, text)), tag('td', {}, (item.file || '').split('/').pop()))));
  flame.rows = rows;
  if (!body.querySelector('tr[tabindex="0"]') && body.rows.length) body.rows[0].tabIndex = 0;
}
function treeKey(e) {
  const row = e.target.closest('tr[data-row]');
  if (!row || e.ctrlKey || e.altKey || e.metaKey) return;
  const index = Number(row.dataset.row), {item} = flame.rows[index], open = isOpen(item, flame.tree) && item.children.length > 0;
  const toggle = (to) => { flame.open.set(item.key, to); flame.at = item.key; drawTree(); focusRow(item.key); };
  const keys = {
    ArrowDown: () => focusRow((flame.rows[index + 1] || flame.rows[index]).item.key), ArrowUp: () => focusRow((flame.rows[index - 1] || flame.rows[index]).item.key),
    ArrowRight: () => !open && item.children.length ? toggle(true) : focusRow((flame.rows[index + 1] || flame.rows[index]).item.key),
    ArrowLeft: () => open ? toggle(false) : item.parent.key && focusRow(item.parent.key),
    Enter: () => { zoomFlame(item); }, ' ': () => toggle(!open),
  };
  if (!keys[e.key]) return;
  keys[e.key](); e.preventDefault(); e.stopPropagation();
}
function focusRow(key) {
  const index = flame.rows.findIndex((row) => row.item.key === key), row = $('tree').tBodies[0].rows[index];
  if (!row) return;
  for (const other of $('tree').tBodies[0].rows) other.tabIndex = -1;
  row.tabIndex = 0; row.focus();
  selectFrame(flame.rows[index].item);
}

// ---- Functions: self, and total without counting a function that calls itself twice.
function functionRows(of = side) {
  const s = of.samples, counts = flame.counts, rows = new Map(), known = of.report.samples ? of.report.samples.functions : [];
  const lineOfFunction = new Map(known.map((row) => [row.name + '\0' + row.file, row.line]));
  const row = (frame) => { if (!rows.has(frame)) { const [name, file, region] = s.frames[frame]; rows.set(frame, {name, file, region, line: lineOfFunction.get(name + '\0' + file) || 0, self: 0, waiting: 0, inside: 0, counted: counts.counted.map(() => 0)}); } return rows.get(frame); };
  for (let n = 1; n < s.parent.length; ++n) {
    const own = counts.self[n];
    if (!own) continue;
    const sum = own.reduce((a, b) => a + b, 0), waits = own.reduce((a, b, i) => a + (isWaitingKind(i) ? b : 0), 0), seen = new Set();
    row(s.frame[n]).self += sum - waits; row(s.frame[n]).waiting += waits;
    row(s.frame[n]).counted.forEach((_, c, values) => { values[c] += counts.counted[c][n]; });
    for (let at = n; at; at = s.parent[at]) if (!seen.has(s.frame[at])) { seen.add(s.frame[at]); row(s.frame[at]).inside += sum; }
  }
  return [...rows.values()].sort((a, b) => b.self + b.waiting - a.self - a.waiting || b.inside - a.inside);
}

// ---- The panel.
/** What each counter counted in work of functions themselves, and instructions per cycle where both are there. */
function counterColumns() {
  const counters = side.samples.counters, named = (name) => counters.findIndex((counter) => counter[0] === name), cycles = named('cycles'), instructions = named('instructions');
  const rate = (r) => r.counted[cycles] ? r.counted[instructions] / r.counted[cycles] : 0;
  const columns = counters.map(([name], c) => [name, (r) => r.counted[c] ? amountText(r.counted[c], c) : '-', (r) => r.counted[c]]);
  return cycles < 0 || instructions < 0 ? columns : [['per cycle', (r) => rate(r) ? rate(r).toFixed(2) : '-', rate], ...columns];
}
const where = (row) => row.file ? tag('span', {title: row.file}, `${row.file.split('/').pop()}${row.line ? ':' + row.line : ''}`) : '';
function sampleTables() {
  const whole = flame.counts.inside[0], s = report.samples, parts = [table('Functions', functionRows(), [['function', (r) => r.region >= 0 ? link(meta.names[side.name + r.region]) : r.name], ['where', where],
    ['self', (r) => amountText(r.self), (r) => r.self], ['share', (r) => percent(r.self, whole), (r) => r.self], ['waiting', (r) => amountText(r.waiting), (r) => r.waiting], ['total', (r) => amountText(r.inside), (r) => r.inside], ['share', (r) => percent(r.inside, whole), (r) => r.inside], ...counterColumns()])];
  if (s && s.blame.length) parts.push(table('What ran while other threads waited (whole run)', s.blame, [['function', (r) => r.name], ['where', where], ['in', (r) => r.region === null ? '' : link(meta.names[side.name + r.region])],
    ['their time', (r) => time(r.total_ns), (r) => r.total_ns], ['at barriers', (r) => time(r.barrier_ns), (r) => r.barrier_ns], ['for tasks', (r) => time(r.task_wait_ns), (r) => r.task_wait_ns], ['for locks', (r) => time(r.lock_wait_ns), (r) => r.lock_wait_ns], ['idle', (r) => time(r.idle_ns), (r) => r.idle_ns]]));
  return parts;
}
/** Of threads whose stops were recorded, with samples or without. */
function schedulingTables() {
  const s = report.samples;
  if (!s || !s.threads.some((r) => r.pauses)) return [];
  const ran = (r) => Math.max(0, r.waited_ns - r.slept_ns - r.preempted_ns);
  return [table('Waiting, and whether the threads ran meanwhile (whole run)', s.waits, [['at', (r) => link(r.name)], ['waited', (r) => time(r.waited_ns), (r) => r.waited_ns], ['ran', (r) => percent(ran(r), r.waited_ns), ran], ['slept', (r) => percent(r.slept_ns, r.waited_ns), (r) => r.slept_ns], ['preempted', (r) => percent(r.preempted_ns, r.waited_ns), (r) => r.preempted_ns]]),
    table('Threads that did not run (whole run)', s.threads, [['thread', (r) => laneName(r.location)], ['slept', (r) => time(r.slept_ns), (r) => r.slept_ns], ['preempted', (r) => time(r.preempted_ns), (r) => r.preempted_ns], ['work', (r) => time(r.working_ns), (r) => r.working_ns], ['of it slept', (r) => percent(r.slept_working_ns, r.working_ns), (r) => r.slept_working_ns], ['preempted', (r) => percent(r.preempted_working_ns, r.working_ns), (r) => r.preempted_working_ns]])];
}
/** Counts anew, after a change of the choice, the range or the view. */
export function updateSamples() {
  if (!$('flame')) return;
  flame.counts = countSamples(); flame.tree = flameTree(flame.counts);
  flame.selected = findItem(flame.tree, flame.at) || flame.tree;
  const c = flame.counts, from = Math.max(0, c.begin), to = Math.min(length, c.end);
  $('sampled').textContent = `${count(c.work)} samples at work, ${count(c.waiting)} waiting, of ${count(c.threads)} thread${c.threads === 1 ? '' : 's'}, ${range ? 'in the range' : 'in view'} from ${time(from)} to ${time(to)}; one stands for ${time(side.samples.period)} of processor time.` +
    (side.samples.unit > 1000 ? ` Their times are known here to ${time(side.samples.unit)}.` : '');
  $('frame').replaceChildren(...c.inside[0] ? describeFrame(flame.selected) : ['No samples here.']);
  drawFlame(); drawTree();
  $('functions').replaceChildren(...sampleTables());
}
const choice = (id, label, list, value) => [tag('label', {}, `${label} `, tag('select', {id}, list.map(([key, text]) => tag('option', {value: key, selected: String(key) === String(value) ? '' : undefined}, text)))), ' '];
function flamePart() {
  return part(tag('p', {class: 'choices'}, choice('flameShow', 'show', [['all', 'work and waiting'], ['work', 'work'], ['waiting', 'waiting']], flame.show),
    side.samples.counters.length ? choice('flameBy', 'by', [[-1, 'time'], ...side.samples.counters.map(([name], c) => [c, name])], flame.by) : [],
    choice('flameThread', 'of', [[-1, 'all threads shown'], ...[...side.samples.lanes.keys()].map((l) => [l, laneName(l)])], flame.thread),
    choice('flameConstruct', 'in', [[-1, 'everything'], ...sampledConstructs(side).map((r) => [r, meta.names[side.name + r]])], flame.construct)),
  tag('p', {id: 'sampled', class: 'muted', role: 'status'}),
  tag('canvas', {id: 'flame', tabindex: 0, role: 'application', 'aria-label': 'Flame graph. Arrow keys go to callers, callees and neighbours, Enter zooms, Backspace zooms out.', 'aria-describedby': 'frame'}),
  tag('p', {id: 'frame', role: 'status', 'aria-live': 'polite'}), tag('h2', {}, 'From the top down'),
  tag('div', {class: 'wide'}, tag('table', {id: 'tree', role: 'treegrid'}, tag('thead', {}, tag('tr', {}, [['function', ''], ['total', 'n'], ['share', 'n'], ['self', 'n'], ['file', '']].map(([title, kind]) => tag('th', {class: kind}, title)))), tag('tbody'))),
  tag('div', {id: 'functions'}));
}
/** What was chosen may be of the other of two traces: threads and constructs have other numbers there. */
function keepChoices() {
  flame.by = Math.min(flame.by, side.samples.counters.length - 1);
  flame.thread = keptNumber([...side.samples.lanes.keys()], ownName, flame.thread, flame.threadName);
  flame.construct = keptNumber(sampledConstructs(side), (r) => meta.names[side.name + r], flame.construct, flame.constructName);
}
const ownName = (l) => laneName(l).slice(compared ? side.title.length + 2 : 0);
/** The number of what has the name here: `number` where it is one of them. */
function keptNumber(all, nameOf, number, name) {
  if (!name) return -1;
  if (all.includes(number) && nameOf(number) === name) return number;
  return all.find((one) => nameOf(one) === name) ?? -1;
}
function choose(name, value) {
  flame[name] = name === 'show' ? value : Number(value);
  if (name === 'thread') flame.threadName = flame.thread < 0 ? '' : ownName(flame.thread);
  if (name === 'construct') flame.constructName = flame.construct < 0 ? '' : meta.names[side.name + flame.construct];
  updateSamples();
}
export function samplesParts() {
  const parts = [];
  if (samplesOf(side)) {
    keepChoices();
    parts.push(legend(), flamePart());
  }
  return [...parts, ...schedulingTables()];
}
export function startSamples() {
  if (!$('flame')) return;
  for (const [id, name] of [['flameShow', 'show'], ['flameBy', 'by'], ['flameThread', 'thread'], ['flameConstruct', 'construct']]) if ($(id)) $(id).onchange = (e) => choose(name, e.target.value);
  const element = $('flame');
  element.onclick = (e) => { const box = flameBox(e); if (box) selectFrame(box.item); };
  element.ondblclick = (e) => { const box = flameBox(e); if (box) zoomFlame(box.item); };
  element.onpointermove = (e) => { const box = flameBox(e); if (box) showTooltip(describeFrame(box.item), e); else $('tooltip').hidden = true; };
  element.onpointerleave = () => { $('tooltip').hidden = true; };
  element.onkeydown = flameKey;
  $('tree').onkeydown = treeKey;
  $('tree').onclick = (e) => { const row = e.target.closest('tr[data-row]'); if (!row) return; const {item} = flame.rows[Number(row.dataset.row)]; flame.open.set(item.key, !isOpen(item, flame.tree)); flame.at = item.key; drawTree(); focusRow(item.key); };
  onWidth(element, drawFlame);
  updateSamples();
}
