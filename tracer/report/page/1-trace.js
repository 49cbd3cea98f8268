// SPDX-License-Identifier: BSD-3-Clause
// What the page knows: the decoded slices; numbers and colours for people.
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
