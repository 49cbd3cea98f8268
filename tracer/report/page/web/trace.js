// SPDX-License-Identifier: BSD-3-Clause
// What the page knows: the traces, one or those before and after, and their slices; numbers and colours for people.
const $ = (id) => document.getElementById(id);
const meta = JSON.parse($('meta').textContent);
const sides = meta.sides, compared = sides.length > 1;
let side = sides[0], report = side.report;  // whose tables are shown
const sideOf = (location) => compared && location >= sides[1].location ? sides[1] : sides[0];
let NAMES = 190;             // pixels of the names of the lanes; fewer in a narrow window
const AXIS = 22, ROW = 15, GAP = 7, COUNTER = 34;

const activities = ['work', 'barrier', 'task_wait', 'lock_wait', 'runtime', 'device', 'mpi', 'idle'];

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
  const zeros = Object.fromEntries(activities.map((a) => [a + '_ns', 0]));
  const threads = new Map(), owners = new Map(sides.map((of) => [of, new Map(of.report.processes.map((process) => [process.process, process]))]));
  for (const of of sides) for (const row of of.report.threads) {
    row.time = {...zeros, ...row.time};  // zeros are not in the page
    threads.set(of.location + row.location, row);
  }
  const lanes = meta.locations.map((location, index) => {
    const of = sideOf(index), thread = threads.get(index);
    const several = of.report.processes.length > 1, owner = owners.get(of).get(location.process) || null;
    const own = several && owner ? `${owner.name}: ${location.name}` : location.name;
    return {...location, name: compared ? `${of.title}: ${own}` : own, side: of, owner, first: !several || !owner || owner.threads[0] === index - of.location, time: thread ? thread.time : {}, index, rows: [], y: 0, height: 0};
  });
  for (const [location, depth, count] of meta.rows) {
    const row = {begin: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count), depth, lane: lanes[location]};
    let last = 0;
    for (let i = 0; i < count; ++i) {
      const begin = last + number();
      last = begin + number();
      row.begin[i] = begin; row.end[i] = last; row.name[i] = lanes[location].side.name + number();
    }
    lanes[location].rows[depth] = row;
  }
  const empty = {begin: new Float64Array(0), end: new Float64Array(0), name: new Uint32Array(0)};
  for (const lane of lanes) for (let d = 0; d < lane.rows.length; ++d) lane.rows[d] ||= {...empty, depth: d, lane};
  return lanes;
}
const lanes = decode();
/** The program's phases, a lane per process: from when the first of its threads enters one until none is in it. */
function phaseLanes() {
  const found = [];
  for (const of of sides) for (const [process, depth, name, begin, end] of of.bands) {
    let lane = found.find((l) => l.side === of && l.process === process);
    if (!lane) found.push(lane = {name: 'Phases', side: of, process, bands: true, time: {}, index: lanes.length + found.length, rows: [], y: 0, height: 0});
    while (lane.rows.length <= depth) lane.rows.push({list: [], depth: lane.rows.length, lane});
    lane.rows[depth].list.push([begin, end, name]);
  }
  for (const lane of found) {
    if (compared) lane.name = `${lane.side.title}: ${lane.name}`;
    if (lane.side.processes.length > 1) lane.name += ', ' + lane.side.processes[lane.process];
    for (const row of lane.rows) [row.begin, row.end, row.name] = [Float64Array, Float64Array, Uint32Array].map((type, k) => type.from(row.list, (band) => band[k]));
  }
  return found;
}
const bandLanes = phaseLanes();
const length = Math.max(1, meta.length);
const several = sides.some((one) => one.report.processes.length > 1);

// ---- Numbers as people read them.
const digits = (value) => Number(value.toPrecision(4)).toString();
function time(ns) {
  const sign = ns < 0 ? '-' : ''; ns = Math.abs(ns);
  return sign + (ns < 1e3 ? digits(ns) + ' ns' : ns < 1e6 ? digits(ns / 1e3) + ' µs' : ns < 1e9 ? digits(ns / 1e6) + ' ms' : digits(ns / 1e9) + ' s');
}
/** A time on an axis whose marks are `step` apart: as many decimals as tell them apart. */
function axisTime(ns, step) {
  const most = Math.max(Math.abs(ns), step);
  const [unit, name] = most < 1e3 ? [1, 'ns'] : most < 1e6 ? [1e3, 'µs'] : most < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  return (ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)))) + ' ' + name;
}
const bytesText = (b) => { let u = 0; const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']; while (b >= 1024 && u < 4) { b /= 1024; ++u; } return digits(b) + ' ' + units[u]; };
const count = (n) => Math.round(n).toLocaleString('en');
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + ' %' : '-';
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));

// ---- Colours: one for each meaning, everywhere; told apart also by those who see no red and green (Okabe and Ito's palette).
const activityNames = {work: 'work', barrier: 'barrier', task_wait: 'taskwait', lock_wait: 'locks', runtime: 'runtime', device: 'waiting for devices', mpi: 'MPI', idle: 'idle'};
let dark = false;
function activityColour(name) {
  return {work: dark ? '#4a86e8' : '#7db4e6', barrier: '#d55e00', task_wait: '#e69f00', lock_wait: '#cc79a7', runtime: dark ? '#d8d2c4' : '#57524a', device: '#009e73', mpi: dark ? '#7818f0' : '#6030f0', idle: dark ? '#3a404a' : '#dfe3e8'}[name];
}
/** Of the account's places: the colour of the activity that they are a part of. */
const placeNames = {work: 'work in parallel regions', serial: 'serial work', serial_idle: 'idle while the program is serial', imbalance: 'imbalance: waiting at barriers', starvation: 'starving for tasks', tasking: 'creating and scheduling tasks', team: 'start and join of teams',
  locks: 'waiting for locks', exclusive: 'waiting for critical, atomic, ordered', device: 'waiting for devices', mpi: 'inside MPI', mpi_idle: 'idle while one thread is in MPI', unused: 'not in the team', tool: 'the tool itself', descheduled: 'without a processor', absent: 'not there yet, or ended', unknown: 'unknown'};
function placeColour(place) {
  const activity = {work: 'work', imbalance: 'barrier', starvation: 'task_wait', locks: 'lock_wait', exclusive: 'lock_wait', device: 'device', mpi: 'mpi', tasking: 'runtime', team: 'runtime'}[place];
  return activity ? activityColour(activity) : {serial: dark ? '#2f6ea8' : '#4a8fd0', mpi_idle: dark ? '#41307a' : '#cfc4f7', tool: '#000000', descheduled: '#6b4c9a'}[place] || activityColour('idle');
}
const phaseColour = (index) => { let hash = 7; for (const c of meta.names[index]) hash = (hash * 31 + c.charCodeAt(0)) >>> 0; return `hsl(${hash % 360} 60% ${dark ? 45 : 60}%)`; };
let colours = [], inks = [];  // by name: of slices, and of the text on them
function inkOn(colour) {
  if (!colour.startsWith('#')) return dark ? '#f2f5f9' : '#101418';
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b > 120 ? '#101418' : '#f2f5f9';
}
function makeColours() {
  colours = meta.names.map((name, i) => {
    const activity = meta.activities[i];
    if (name === 'many short ones') return dark ? '#59616d' : '#a9b1bd';  // many short ones
    if (activity !== 'work') return activityColour(activity);
    let hash = 0;
    for (let k = 0; k < name.length; ++k) hash = (hash * 31 + name.charCodeAt(k)) >>> 0;
    return `hsl(${200 + hash % 36} ${48 + (hash >> 8) % 40}% ${(dark ? 36 : 62) + (hash >> 16) % 18}%)`;  // shades of blue: work
  });
  inks = colours.map(inkOn);
}
