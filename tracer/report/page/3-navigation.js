// SPDX-License-Identifier: BSD-3-Clause
// Finding things in the timeline: hits, search, mouse and keys.
// ---- What is where.
function hit(x, y) {
  if (x < NAMES || y < $('scroller').scrollTop + AXIS) return null;
  const lane = order.find((l) => y >= l.y && y < l.y + l.height);
  const row = lane && rowsOf(lane)[Math.floor((y - lane.y) / ROW)];
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
  const of = row.lane.side, total = of.report.constructs.find((c) => c.region === name - of.name);
  if (total) text += `<br>all: ${count(total.count)} times, ${time(total.total_ns)}, mean ${time(total.mean_ns)}, longest ${time(total.longest_ns)}`;
  return text;
}
function select(what, show) {
  selected = what;
  if (what) {
    $('details').innerHTML = describe(what).replaceAll('<br>', ' · ');
    if (show) reveal(what);
  }
  remember();
  redraw();
}
function reveal(what) {
  const {row, index} = what, lane = row.lane, scroller = $('scroller');
  if (lane.hidden && foldedProcesses && lane.owner && !lane.first) foldProcesses();
  if (lane.hidden) filterLanes('');
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
const mostMatches = 100000;  // that can be stepped through; all are counted
let matchList = [], matchAt = -1, matchCount = 0;
/** Of each process, the times of phases whose name has `text` in it: apart from each other, in order. */
function timesOf(text) {
  const times = [];
  for (const side of sides) for (const [process, , name, begin, end] of [...side.bands].sort((a, b) => a[3] - b[3])) {
    if (!meta.names[name].toLowerCase().includes(text)) continue;
    let of = times.find((t) => t.side === side && t.process === process);
    if (!of) times.push(of = {side, process, begin: [], end: []});
    const last = of.end.length - 1;
    if (last >= 0 && begin <= of.end[last]) of.end[last] = Math.max(of.end[last], end); else { of.begin.push(begin); of.end.push(end); }
  }
  return times;
}
function isWithin(lane, begin, end) {
  const times = within.find((t) => t.side === lane.side && t.process === lane.process), i = times ? above(times.begin, begin) - 1 : -1;
  return i >= 0 && times.end[i] >= end;
}
/** "barrier", "barrier in:solve": within phases of such a name, "in:solve": all that is. */
function search(text) {
  text = text.trim().toLowerCase();
  matches = null; within = null; matchList = []; matchAt = -1; matchCount = 0;
  if (text) {
    const [, what, phase] = text.match(/^(.*?)(?:(?:^|\s)in:(.*))?$/);
    if (phase !== undefined) within = timesOf(phase.trim());
    matches = new Set();
    meta.names.forEach((name, i) => { if (name.toLowerCase().includes(what.trim())) matches.add(i); });
    for (const lane of lanes) for (const row of lane.rows) {
      for (let i = 0; i < row.name.length; ++i) {
        if (!matches.has(row.name[i]) || within && !isWithin(lane, row.begin[i], row.end[i])) continue;
        ++matchCount;
        if (matchList.length < mostMatches) matchList.push({row, index: i});
      }
    }
    matchList.sort((a, b) => a.row.begin[a.index] - b.row.begin[b.index]);
  }
  $('found').textContent = text ? (matchCount ? count(matchCount) + ' found' : 'nothing found') : '';
  remember();
  redraw();
  return matchCount;
}
function step(by) {
  if (!matchList.length) return;
  matchAt = (matchAt + by + matchList.length) % matchList.length;
  $('found').textContent = `${count(matchAt + 1)} of ${count(matchCount)}` + (matchCount > matchList.length ? `, the first ${count(matchList.length)} in steps` : '');
  select(matchList[matchAt], true);
}
/** The longest slice of a name in the trace whose tables are shown: what one wants to see first when coming from one. */
function longest(name) {
  let best = null, most = -1;
  const nameIndex = meta.names.indexOf(name, side.name);
  for (const lane of lanes) if (lane.side === side) for (const row of lane.rows) for (let i = 0; i < row.name.length; ++i) {
    if (row.name[i] === nameIndex && row.end[i] - row.begin[i] > most) { most = row.end[i] - row.begin[i]; best = {row, index: i}; }
  }
  return best;
}
function goTo(name) {
  $('search').value = name; search(name);
  const what = longest(name);
  if (what) { zoomTo(what); $('stage').scrollIntoView(); }
  return Boolean(what);
}

// ---- Mouse and keys.
const lineOf = (e) => e.offsetY + $('scroller').scrollTop;
let drag = null;
/** The time under the mouse, at the axis. */
function showCursor(x) {
  const cursor = $('cursor');
  cursor.hidden = x < NAMES;
  cursor.style.left = x + 'px';
  cursor.firstElementChild.textContent = axisTime(toTime(x), (view.t1 - view.t0) / 1000);
  cursor.classList.toggle('left', x > width - 120);
}
/** What is measured: the selected slice, or all that is in view. */
function measure() {
  if (selected) setRange(selected.row.begin[selected.index], selected.row.end[selected.index]); else setRange(view.t0, view.t1);
  showTab('In view');
}
function fold(lane) { if (lane) { lane.folded = !lane.folded; layout(); } }
function pin(lane) { if (lane) { lane.pinned = !lane.pinned; layout(); } }
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
  const tip = $('tooltip');
  tip.hidden = !hover;
  if (!hover) return;
  tip.innerHTML = describe(hover);
  tip.style.left = Math.min(e.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = Math.min(e.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
});
canvas.addEventListener('pointerup', (e) => {
  if (drag && drag.range && drag.moved) showTab('In view');
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
  const {row, index} = selected;
  if (key === 'ArrowLeft' && index > 0) return select({row, index: index - 1}, true);
  if (key === 'ArrowRight' && index + 1 < row.begin.length) return select({row, index: index + 1}, true);
  const all = order.flatMap((l) => rowsOf(l)), other = all[all.indexOf(row) + (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0)];
  if (other && other !== row && other.begin.length) select({row: other, index: Math.min(other.begin.length - 1, above(other.end, row.begin[index]))}, true);
}
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.target === $('only')) {
    if (e.key === 'Escape') filterLanes('');
    if (e.key === 'Enter' || e.key === 'Escape') { canvas.focus(); e.preventDefault(); }
    return;
  }
  if (e.target === $('search')) {
    if (e.key === 'Enter') { step(e.shiftKey ? -1 : 1); if (matchList.length) canvas.focus(); e.preventDefault(); }
    if (e.key === 'Escape') { $('search').value = ''; search(''); canvas.focus(); }
    return;
  }
  if (e.target.closest && e.target.closest('main, dialog, nav, select') && e.key.startsWith('Arrow')) return;
  if (['A', 'BUTTON', 'SELECT', 'INPUT'].includes(e.target.tagName) && (e.key === 'Enter' || e.key === ' ')) return;
  if (e.shiftKey && e.key.startsWith('Arrow')) { selectNear(e.key); e.preventDefault(); return; }
  const keys = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), a: () => pan(-0.15), d: () => pan(0.15),
    ArrowUp: () => { $('scroller').scrollTop -= 60; }, ArrowDown: () => { $('scroller').scrollTop += 60; },
    '+': () => zoom(0.7), '=': () => zoom(0.7), w: () => zoom(0.7), '-': () => zoom(1 / 0.7), s: () => zoom(1 / 0.7),
    '0': () => setView(-length * 0.01, length * 1.01), Home: () => setView(-length * 0.01, length * 1.01),
    Enter: () => selected && zoomTo(selected), n: () => step(1), N: () => step(-1), '/': () => $('search').focus(),
    f: () => selected ? fold(selected.row.lane) : foldAll(), r: () => several && foldProcesses(), p: () => selected && pin(selected.row.lane), i: () => showTab('In view'), g: () => report.samples && showTab('Samples'),
    m: measure, z: () => range && setView(range[0], range[1]), c: () => { $('path').checked = !$('path').checked; redraw(); },
    l: () => $('only').focus(), o: () => { const all = Object.keys(sorts); sortLanes(all[(all.indexOf(sort) + 1) % all.length]); },
    PageUp: () => { $('scroller').scrollTop -= $('scroller').clientHeight; }, PageDown: () => { $('scroller').scrollTop += $('scroller').clientHeight; }, End: () => { $('scroller').scrollTop = height; },
    b: () => compared && showSide(sides[1 - sides.indexOf(side)]),
    Escape: () => { selected = null; range = null; $('search').value = ''; search(''); }, t: () => setTheme(!dark), '?': () => $('keys').showModal(),
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
$('bands').onchange = layout;
$('bands').parentElement.hidden = !bandLanes.length;
$('sort').onchange = (e) => sortLanes(e.target.value);
$('only').addEventListener('input', (e) => filterLanes(e.target.value));
window.addEventListener('resize', layout);

// ---- The address says what is shown: it can be sent to others who have the file.
let remembering = 0, restored = false;
function remember() {
  if (!restored) return;
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const words = new URLSearchParams({from: Math.round(view.t0), to: Math.round(view.t1), tab: current});
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
function restore() {
  const words = new URLSearchParams(location.hash.slice(1));
  range = null;
  if (words.get('find')) { $('search').value = words.get('find'); search(words.get('find')); }
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
  if (tabNames().includes(words.get('tab'))) showTab(words.get('tab'));
  restored = true;
}
window.addEventListener('hashchange', restore);

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  readTheme(); makeColours(); layout(); showTab(current);
}
