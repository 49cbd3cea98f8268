// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tables: what each tab shows.
import {activityBackground, activityColour, activityNames, placeColour, placeNames} from './colours.js';
import {$, note, tag, warning} from './dom.js';
import {devicesParts} from './devices.js';
import {goTo} from './finding.js';
import {mpiParts, processesTable} from './mpi.js';
import {bytesText, count, digits, percent, time} from './numbers.js';
import {addOwnTimes, comparedKeys, functionIn, namesAfter, pathWithin, sumBy} from './rows.js';
import {samplesParts} from './samples.js';
import {order, range, setView, view} from './timeline.js';
import {activities, compared, lanes, length, meta, report, side, sides} from './trace.js';

// ---- Tables.
export const link = (name, text = name) => tag('a', {href: '#', 'data-go': name}, text);
export const processName = (group) => (report.processes.find((p) => p.process === group) || {name: ''}).name;
/**
 * @typedef {any[]} Column title; (row) => what its cell shows: text, an element, or several; (row) => the number it is sorted by, none
 * @param {string} title "": none
 * @param {any[]} rows
 * @param {Column[]} columns
 * @param {number} [more] rows that are not in the page
 * @param {string} [command] what has them all
 */
export function table(title, rows, columns, more = 0, command = 'tracer report --json') {
  const shown = 300, body = tag('tbody');
  const fill = (sorted) => {
    body.replaceChildren(...sorted.slice(0, shown).map((row) => tag('tr', {}, columns.map((c) => tag('td', {class: c[2] ? 'n' : ''}, c[1](row))))));
    if (sorted.length + more > shown) body.append(tag('tr', {}, tag('td', {colspan: columns.length, class: 'muted'}, `... and ${sorted.length + more - shown} more: ${command} has them all`)));
  };
  const head = tag('thead', {}, tag('tr', {}, columns.map((c, i) => tag('th', {class: c[2] ? 'n' : ''}, c[2] ? tag('button', {'data-sort': i}, c[0]) : c[0]))));
  head.addEventListener('click', (e) => {
    const i = e.target.dataset.sort;
    if (i !== undefined) fill([...rows].sort((a, b) => columns[i][2](b) - columns[i][2](a)));
  });
  fill(rows);
  return tag('section', {}, title ? tag('h2', {}, title) : [], tag('div', {class: 'wide'}, tag('table', {}, head, body)));
}
/** Parts of a whole beside each other, as wide as they are. @param {Record<string, string>} attributes @param {{name: string, ns: number, colour: string}[]} parts @param {number} whole */
export const barOf = (attributes, parts, whole) => tag('div', {role: 'img', 'aria-label': parts.map((p) => `${p.name} ${percent(p.ns, whole)}`).join(', '), ...attributes},
  parts.map((p) => tag('span', {title: `${p.name} ${time(p.ns)} (${percent(p.ns, whole)})`, style: `width:${whole ? 100 * p.ns / whole : 0}%;background:${p.colour}`})));
export const bar = (times, whole) => barOf({class: 'bar'}, activities.map((a) => ({name: activityNames[a], ns: times[a + '_ns'], colour: activityColour(a)})), whole);
export const sum = (times) => activities.reduce((s, a) => s + times[a + '_ns'], 0);
const activitiesInLegend = () => report.event_counts?.measurement_on_off ? [...activities, 'not_recorded'] : activities;
export const legend = () => tag('div', {class: 'legend'}, activitiesInLegend().map((a) => tag('span', {}, tag('i', {style: `background:${activityBackground(a)}`}), activityNames[a])));
export const part = (...content) => tag('div', {}, ...content);
export const cards = (list) => part(tag('div', {class: 'cards'}, list.map(([label, value]) => tag('div', {class: 'card'}, tag('span', {class: 'muted'}, label), tag('b', {}, value)))));
export const laneName = (location) => lanes[side.location + location] ? lanes[side.location + location].name : '';

/** What threads did in the range that is measured, else in the part that is in view: time in each region itself, from the
 *  slices of the lanes that are shown. `of`: one of the traces. */
export function inView(of = side) {
  const own = new Map(), [begin, end] = range || [view.t0, view.t1];
  let whole = 0;
  for (const lane of order) if (lane.side === of && !lane.bands) whole += addOwnTimes(lane.rows, begin, end, own);
  return {rows: [...own.values()].sort((a, b) => b.ns - a.ns), whole, begin, end};
}
/** The account as one bar, and as a table. */
function accountParts() {
  const account = report.account, all = Object.entries(account.time).map(([name, ns]) => ({place: name.slice(0, -3), ns})).filter((p) => p.ns > 0).sort((a, b) => b.ns - a.ns)
    .map((p) => ({...p, name: placeNames[p.place] || p.place, colour: placeColour(p.place)}));
  const from = account.within_phases_ns != null ? 'in these phases' : report.trace.properties['TRACER::PART'] ? 'in this part of the trace' : account.whole_process ? "from the process' start to its end" : 'from the first event to the last';
  const picture = part(tag('h2', {}, 'Where the time went'), note(`All time of ${count(account.threads)} threads, ${from}: ${time(account.total_ns)}.`), barOf({class: 'bar tall', id: 'account'}, all, account.total_ns));
  return [picture, table('', all, [['place', (p) => [tag('i', {class: 'swatch', style: `background:${p.colour}`}), p.name]], ['time', (p) => time(p.ns), (p) => p.ns], ['share', (p) => percent(p.ns, account.total_ns), (p) => p.ns]])];
}
function findingItem(finding, index, wall) {
  const f = finding;
  return tag('li', {}, tag('b', {}, time(f.win_ns)), ` (${percent(f.win_ns, wall)} of the run): ${f.text}`, tag('br'), tag('b', {}, 'Try:'), ` ${f.advice} `, tag('span', {class: 'muted'}, `Sureness: ${f.sure}.`),
    f.at_ns ? [' ', tag('a', {href: '#', 'data-finding': index}, 'show it')] : [], f.name && meta.names.includes(f.name) ? [' ', tag('a', {href: '#', 'data-go': f.name}, `find ${f.name}`)] : []);
}
function verdictPart() {
  const verdict = report.verdict, wall = report.account.within_phases_ns ?? report.account.end_ns - report.account.begin_ns;
  return part(tag('h2', {}, 'Verdict'), tag('p', {id: 'verdict', class: verdict.state === 'ok' ? '' : 'warning'}, verdict.summary), verdict.notes.map((n) => warning(n.text)),
    tag('ol', {class: 'findings'}, verdict.findings.map((f, i) => findingItem(f, i, wall))));
}
function showFinding(finding) {
  const span = Math.max(1000, 4 * finding.win_ns / Math.max(1, report.account.threads));
  setView(finding.at_ns - 0.8 * span, finding.at_ns + 0.2 * span);
  $('stage').scrollIntoView();
}

/** The same regions in the other trace, in the same range. */
function comparedKind(rows) {
  const other = sides[1 - sides.indexOf(side)], there = new Map(), keys = comparedKeys(meta.names, meta.sources, sides[1].name, namesAfter(meta.diff.constructs));
  for (const row of inView(other).rows) there.set(keys[row.name], (there.get(keys[row.name]) || 0) + row.ns);
  for (const row of rows) row.there = there.get(keys[row.name]) || 0;
  return [[other.title, (r) => time(r.there), (r) => r.there]];
}
const signed = (ns) => (ns > 0 ? '+' : '') + time(ns);
/** Columns of a change: before, after, how much, and whether that is more than noise. */
function changeColumns(title, change) {
  const name = (text) => title ? `${title} ${text}` : text, kind = (c) => c.beyond_noise === false || c.delta === 0 ? 'muted' : c.delta > 0 ? 'more' : 'less';
  return [[name('before'), (r) => time(change(r).before), (r) => change(r).before], [name('after'), (r) => time(change(r).after), (r) => change(r).after],
    [name('change'), (r) => { const c = change(r); return tag('span', {class: kind(c)}, `${signed(c.delta)}${c.delta && c.relative !== null ? ` (${c.relative > 0 ? '+' : ''}${(100 * c.relative).toFixed(1)} %)` : ''}${c.beyond_noise ? ' *' : ''}`); }, (r) => Math.abs(change(r).delta)]];
}

/** Both numbers where they differ. @param {string} title @param {(row: any) => any} change @param {(value: number) => string} text */
const bothColumn = (title, change, text) => [title, (r) => change(r).delta ? `${text(change(r).before)} > ${text(change(r).after)}` : text(change(r).after), (r) => change(r).after];
/** Of a construct that moved: its line before. One that is not there after has no other name. */
const lineBefore = (row) => row.was !== row.name && !row.name.endsWith(' (before)') ? (row.was.match(/:\d+$/) || []).map((line) => ` (was ${line})`) : [];
/** A construct of the comparison; leads to where it is in the trace whose tables are shown. */
const diffName = (row) => [link(side === sides[0] ? row.was : row.name, row.name), ...lineBefore(row)];
/** A table of the comparison. */
const diffTable = (title, rows, columns) => table(title, rows, columns, 0, 'tracer diff --json');
const diffDevices = (rows) => diffTable('Devices', rows, [['device', (r) => r.name], ...changeColumns('busy', (r) => r.busy), ...changeColumns('idle', (r) => r.idle), bothColumn('kernels', (r) => r.kernels, count), bothColumn('in kernels', (r) => r.kernel_time, time),
  bothColumn('copying', (r) => r.copy_time, time), bothColumn('to device', (r) => r.to_device_bytes, bytesText), bothColumn('from device', (r) => r.from_device_bytes, bytesText), bothColumn('memory', (r) => r.peak_memory_bytes, bytesText)]);
const diffMovement = (rows) => diffTable('Data movement and launches that could cost less', rows, [['construct', diffName], ['pattern', (r) => r.pattern], bothColumn('times', (r) => r.count, count), bothColumn('bytes', (r) => r.bytes, bytesText), ...changeColumns('', (r) => r.time)]);

export const panels = {
  Comparison: () => {
    const diff = meta.diff, several = diff.before.length > 1 && diff.after.length > 1, whole = Object.entries(diff.whole).map(([name, change]) => ({name, change})).filter((row) => row.change.before || row.change.after);
    return [part(tag('p', {}, `before: ${diff.before.join(', ')}`, tag('br'), `after: ${diff.after.join(', ')}`), diff.notes.map((text) => warning(text)), diff.limits_passed.map((text) => warning(`Limit passed: ${text}`)),
      note(several ? '* more than the runs of one side differ among themselves (95 %). The timelines are those of the first of each side.' : 'One run a side: what is noise is not known.')),
      diffTable('The whole run', whole, [['of all threads', (r) => r.name], ...changeColumns('', (r) => r.change)]),
      diffTable('Constructs', diff.constructs, [['construct', diffName], bothColumn('times', (r) => r.count, count),
        ...changeColumns('', (r) => r.time), ...changeColumns('waiting', (r) => r.waiting), ...changeColumns('imbalance', (r) => r.imbalance)]),
      ...(diff.devices.length ? [diffDevices(diff.devices)] : []), ...(diff.data_movement.length ? [diffMovement(diff.data_movement)] : [])];
  },
  Summary: () => {
    const account = report.account, run = report.run, list = [[account.whole_process ? 'process' : 'wall time', time(account.end_ns - account.begin_ns)], ...(account.within_phases_ns == null ? [] : [['in phases', time(account.within_phases_ns)]]), ['threads', count(report.trace.threads) + (account.helper_threads ? `, ${count(account.helper_threads)} for target nowait` : '')]];
    if (report.processes.length > 1) list.push(['processes', count(report.processes.length)]);
    if (report.trace.streams) list.push(['device streams', count(report.trace.streams)]);
    list.push(['events', count(report.trace.events)]);
    if (report.critical_path_ns) list.push(['parallelism', digits(report.work_ns / report.critical_path_ns)], ['longest path', time(report.critical_path_ns)]);
    if (report.tasks.created) list.push(['tasks', count(report.tasks.created)]);
    if (run.processors) list.push(['processors', digits(run.processors) + (run.processors_online > run.processors ? ' of ' + digits(run.processors_online) : '')]);
    const parts = [cards(list), verdictPart(), ...accountParts()];
    if (!report.samples) parts.push(part(note('Which functions take the time, and whether threads ran while they waited: record with ', tag('code', {}, 'tracer run --sample'), '.')));
    if (side.dropped) parts.push(part(note(`The timeline shows the ${count(side.shown)} longest slices; ${count(side.dropped)} shorter than ${time(side.threshold)} are drawn together. The numbers below are of all.`)));
    if (side.leftOut) parts.push(part(note(`The timeline is without ${count(side.leftOut)} slices shorter than ${time(meta.shortest)}.`)));
    if (report.trace.properties['TRACER::FILTER']) parts.push(part(note(`Filtered: ${report.trace.properties['TRACER::FILTER']}`)));
    if (report.trace.properties['TRACER::PART']) parts.push(part(note(`A part of the trace: ${report.trace.properties['TRACER::PART']}.`)));
    if (side.countersLeftOut) parts.push(part(note(`The timeline is without ${count(side.countersLeftOut)} counters; tracer export has them.`)));
    parts.push(part(tag('h2', {}, 'What the threads did')), legend());
    parts.push(table('', report.threads, [['thread', (r) => laneName(r.location)], ['time', (r) => bar(r.time, report.wall_ns)], ['work', (r) => percent(r.time.work_ns, report.wall_ns), (r) => r.time.work_ns],
      ...activities.slice(1).map((a) => [activityNames[a], (r) => percent(r.time[a + '_ns'], report.wall_ns), (r) => r.time[a + '_ns']]), ['tasks', (r) => count(r.tasks), (r) => r.tasks], ['events', (r) => count(r.events), (r) => r.events]]));
    return parts;
  },
  'In view': () => {
    const {rows, whole, begin, end} = inView(), shown = order.filter((lane) => !lane.bands).length, kind = [['time', (r) => time(r.ns), (r) => r.ns], ['share', (r) => percent(r.ns, whole), (r) => r.ns], ['count', (r) => count(r.count), (r) => r.count]];
    if (compared) kind.push(...comparedKind(rows));
    const path = pathWithin(side.path, begin, end), from = Math.max(0, begin), to = Math.min(length, end);
    const text = `${range ? 'The range' : 'In view'}: from ${time(from)} to ${time(to)}, ${time(to - from)}${shown < lanes.length ? `, ${count(shown)} of ${count(lanes.length)} threads` : ''}` +
      (path.ns ? `; the critical path is at work in it for ${time(path.ns)} on ${count(path.threads)} thread${path.threads > 1 ? 's' : ''}` : '') + '. ';
    return [part(note(text, tag('kbd', {}, 'Shift'), ' and drag over the timeline, or ', tag('kbd', {}, 'm'), ' on a selected slice, measures another range.')),
      table('', rows, [['region', (r) => link(meta.names[r.name])], ...kind, ['longest', (r) => time(r.longest), (r) => r.longest]]),
      table('By construct', sumBy(rows, (r) => meta.labels[r.name]), [['construct', (r) => r.name], ...kind.slice(0, 3)]),
      table('By function', sumBy(rows, (r) => functionIn(meta.sources[r.name])), [['function', (r) => r.name], ...kind.slice(0, 3)]),
      table('By file', sumBy(rows, (r) => (meta.sources[r.name].split(':')[0] || 'unknown')), [['file', (r) => r.name], ...kind.slice(0, 3)])];
  },
  Samples: () => samplesParts(),
  Processes: () => [legend(), processesTable()],
  MPI: () => mpiParts(),
  Constructs: () => [table('', report.constructs, [['construct', (r) => link(r.name)], ['share', (r) => percent(r.exclusive_ns, report.constructs_exclusive_ns ?? report.constructs.reduce((s, c) => s + c.exclusive_ns, 0)), (r) => r.exclusive_ns], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['self', (r) => time(r.exclusive_ns), (r) => r.exclusive_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean], ['lost', (r) => time(r.balance.lost_ns), (r) => r.balance.lost_ns]], report.constructs_left_out)],
  Phases: () => [legend(), table('', report.phases, [['phase', (r) => link(r.name)], ['said by', (r) => r.said_by], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns], ['work of all threads', (r) => time(r.time.work_ns), (r) => r.time.work_ns], ['waiting', (r) => time(r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns), (r) => r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns],
    ['in MPI', (r) => time(r.mpi_ns), (r) => r.mpi_ns], ['on devices', (r) => time(r.device_operations_ns), (r) => r.device_operations_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean]], report.phases_left_out)],
  'Parallel regions': () => [legend(), table('', report.parallel_regions, [['region', (r) => link(r.name)], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['wall', (r) => time(r.wall_ns), (r) => r.wall_ns],
    ['threads', (r) => count(r.threads), (r) => r.threads], ['lost to imbalance', (r) => percent(r.balance.lost_ns, r.wall_ns), (r) => r.balance.lost_ns / (r.wall_ns || 1)], ['slowest', (r) => r.balance.slowest]], report.parallel_regions_left_out),
    ...report.parallel_regions.slice(0, 20).map((r) => table(r.name, r.members, [['thread', (m) => laneName(m.location)], ['time', (m) => bar(m.time, sum(m.time))],
      ['work', (m) => time(m.time.work_ns), (m) => m.time.work_ns], ['waits at barriers', (m) => time(m.time.barrier_ns), (m) => m.time.barrier_ns]], r.members_left_out || 0))],
  Tasks: () => {
    const t = report.tasks, parts = [cards([['tasks', count(t.created)], ['mean', time(t.own_mean_ns)], ['longest', time(t.longest_ns)], ...(t.discarded ? [['discarded', count(t.discarded)]] : []), ['dependences', count(t.dependences)], ['longest path', count(t.graph.critical_path_tasks) + ' tasks, ' + time(t.graph.critical_path_ns)], ['longest chain of dependences', count(t.graph.chain_tasks) + ' tasks, ' + time(t.graph.chain_ns)],
      ['parallelism of the graph', digits(t.graph.parallelism)], ['start after creation', time(t.start_delay_ns)], ['run by another thread', percent(t.run_by_other_thread, t.completed)], ['waiting', time(t.wait_ns)]])];
    parts.push(table('', t.regions, [['task', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['shortest', (r) => time(r.shortest_ns), (r) => r.shortest_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns], ...(t.discarded ? [['discarded', (r) => count(r.discarded || 0), (r) => r.discarded || 0]] : [])], t.regions_left_out));
    if (side.tasks.length) parts.push(part(tag('h2', {}, 'Task graph'), side.tasksLeftOut ? note(`The first ${count(side.tasks.length)} tasks; ${count(side.tasksLeftOut)} more are not drawn.`) : [],
      note('Left to right: what must come first. Solid: depend. Dotted: created by. Wheel zooms, dragging moves, a click shows the task in the timeline.'), tag('canvas', {id: 'graph', tabindex: 0, role: 'img', 'aria-label': 'Task graph'})));
    return parts;
  },
  Locks: () => [table('', report.locks, [['lock', (r) => [link(r.name), ' ', tag('span', {class: 'muted'}, `#${r.lock}${report.processes.length > 1 ? `, ${processName(r.process)}` : ''}`)]], ['acquired', (r) => count(r.acquisitions), (r) => r.acquisitions], ['found taken', (r) => percent(r.contended, r.acquisitions), (r) => r.contended / (r.acquisitions || 1)],
    ['waited', (r) => time(r.wait_ns), (r) => r.wait_ns], ['longest wait', (r) => time(r.longest_wait_ns), (r) => r.longest_wait_ns], ['held', (r) => time(r.held_ns), (r) => r.held_ns]], report.other_locks.locks)],
  Devices: () => devicesParts(),
  Trace: () => [table('', Object.entries(report.trace.properties), [['property', (r) => r[0]], ['value', (r) => r[1]]]), table('Events', Object.entries(report.event_counts), [['event', (r) => r[0]], ['count', (r) => count(r[1]), (r) => r[1]]]),
    table('Callbacks', Object.entries(report.callbacks), [['callback', (r) => r[0]], ['count', (r) => count(r[1]), (r) => r[1]]])],
};
/** Those that have something to show. */
export const panelNames = () => Object.keys(panels).filter((name) => !(name === 'Comparison' && !meta.diff) && !(name === 'Samples' && !report.samples) && !(name === 'Processes' && report.processes.length < 2) && !(name === 'MPI' && !report.mpi.ranks) && !(name === 'Phases' && !report.phases.length) && !(name === 'Tasks' && !report.tasks.created) && !(name === 'Locks' && !report.locks.length) && !(name === 'Devices' && !report.devices.length) && !(name === 'Parallel regions' && !report.parallel_regions.length));
$('panel').addEventListener('click', (e) => { if (e.target.dataset.finding) { e.preventDefault(); showFinding(report.verdict.findings[e.target.dataset.finding]); } if (e.target.dataset.go) { e.preventDefault(); goTo(e.target.dataset.go); } });
