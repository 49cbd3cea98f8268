// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tables of processes and of MPI.
import {activityColour} from './colours.js';
import {$, note, tag, warning} from './dom.js';
import {bytesText, count, time} from './numbers.js';
import {bar, cards, link, part, sum, table} from './panels.js';
import {setView, theme} from './timeline.js';
import {report} from './trace.js';

export function processesTable() {
  const name = new Map(report.processes.map((p) => [p.process, p.name]));
  return table('', report.processes, [['process', (r) => r.name], ['program', (r) => r.program.split('/').pop()], ['started by', (r) => name.get(r.parent) || ''], ['time', (r) => bar(r.time, sum(r.time))], ['threads', (r) => count(r.threads.length), (r) => r.threads.length],
    ['streams', (r) => count(r.streams.length), (r) => r.streams.length], ['work', (r) => time(r.time.work_ns), (r) => r.time.work_ns], ['MPI', (r) => time(r.time.mpi_ns), (r) => r.time.mpi_ns],
    ['waiting', (r) => time(r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns), (r) => r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns], ['idle', (r) => time(r.time.idle_ns), (r) => r.time.idle_ns],
    ['host', (r) => r.run.host], ['ended', (r) => r.run.ended + (r.run.signal ? ' ' + r.run.signal : '')]]);
}
const stateNames = {late_sender: 'late sender', late_receiver: 'late receiver', wait_at_barrier: 'wait at barrier', wait_at_nxn: 'wait at N x N', early_reduce: 'early reduce', late_broadcast: 'late broadcast', early_scan: 'early scan', wait_at_fence: 'wait at fence', lock_contention: 'lock contention', late_post: 'late post', early_wait: 'early wait'};
const waitOf = (waited) => Object.values(waited).reduce((s, ns) => s + ns, 0);

/** As the tables of the terminal call a rank: "3", "0 of world 2". */
const rankLabel = (rank) => report.mpi.labels[rank] ?? String(rank), rankName = (rank) => `rank ${rankLabel(rank)}`;

/** Who sent how much to whom: the darker, the more, by powers. */
function matrixPart() {
  const {cells, ranks_per_cell: fold} = report.mpi.matrix, n = Math.ceil(report.mpi.ranks / fold), side = Math.max(4, Math.min(24, Math.floor(640 / n)));
  const name = (c) => fold === 1 ? rankLabel(c) : `${c * fold}-${Math.min(report.mpi.ranks, (c + 1) * fold) - 1}`;
  const most = Math.max(1, ...cells.map((c) => c[3])), shade = (bytes) => 0.15 + 0.85 * Math.log1p(bytes) / Math.log1p(most);
  const box = (c) => tag('rect', {x: 40 + c[1] * side, y: 20 + c[0] * side, width: side - 1, height: side - 1, fill: activityColour('barrier'), 'fill-opacity': shade(c[3]).toFixed(3)},
    tag('title', {}, `from ${name(c[0])} to ${name(c[1])}: ${count(c[2])} messages, ${bytesText(c[3])}`));
  const every = Math.ceil(n / 16), marks = [];
  for (let i = 0; i < n; i += every) marks.push(tag('text', {x: 40 + i * side, y: 14}, i * fold), tag('text', {x: 4, y: 20 + i * side + Math.min(side, 12)}, i * fold));
  return part(tag('h2', {}, 'Messages'), note(`From the rank of the row to that of the column${fold > 1 ? `, ${fold} ranks together` : ''}; the most are ${bytesText(most)}.`),
    tag('svg', {id: 'matrix', role: 'img', 'aria-label': 'Messages between ranks', width: 44 + n * side, height: 24 + n * side, 'font-size': 11, fill: theme.fg}, marks, cells.map(box)));
}

export function mpiParts() {
  const m = report.mpi, state = Object.entries(m.waited).filter(([, ns]) => ns).map(([name, ns]) => [stateNames[name.slice(0, -3)], time(ns)]);
  const doubts = [[m.unmatched - (m.given_up || 0), 'sends and receives have no other end in this trace'], [m.given_up, 'sends and receives were not matched, since too many messages were under way'], [m.reversed, 'messages were received before they were sent, by the clocks of their hosts'], [m.incomplete_collectives, 'collective operations lack some of their ranks'], [m.out_of_step, 'communicators or windows have collective operations that do not match between ranks: no wait state is derived from those behind the first that differs'], [m.never_completed, 'requests were never completed by MPI_Wait, MPI_Test or their like']].filter((d) => d[0]);
  const ns = (title, key) => [title, (r) => time(r[key]), (r) => r[key]], bytes = (title, key) => [title, (r) => bytesText(r[key]), (r) => r[key]], number = (title, key) => [title, (r) => count(r[key]), (r) => r[key]];
  return [cards([['ranks', count(m.ranks)], ['messages', count(m.messages)], ['bytes', bytesText(m.bytes)], ['collective operations', count(m.collectives)], ...state]),
    note('Calls before MPI_Init or MPI_Session_init (MPI_Initialized, MPI_Get_version and the like) are not recorded.'),
    ...doubts.map((d) => part(warning(`${count(d[0])} ${d[1]}.`))),
    ...m.clock_uncertainty_ns ? [part(warning(`Times of different hosts may be off by ${time(m.clock_uncertainty_ns)}: shorter waits between them mean nothing.`))] : [],
    table('Waiting', m.wait_states, [['waits in', (r) => link(r.at.name)], ['state', (r) => stateNames[r.state]], ['for', (r) => link(r.for.name)], ns('time', 'ns'), number('count', 'count'), ['longest', (r) => time(r.longest.ns), (r) => r.longest.ns],
      ['of it', (r) => tag('a', {href: '#', 'data-from': r.longest.at_ns, 'data-span': r.longest.ns}, `${rankName(r.longest.rank)} for ${rankName(r.longest.for_rank)}`)]]),
    table('By function', m.functions, [['function', (r) => r.function], number('calls', 'count'), ns('time', 'total_ns'), ns('longest', 'longest_ns'), ns('waited', 'waited_ns'), bytes('sent', 'sent_bytes'), bytes('received', 'received_bytes'), ['most time', (r) => `${rankName(r.most_rank)}: ${time(r.most_ns)}`, (r) => r.most_ns]]),
    table('By rank', m.by_rank, [['rank', (r) => rankLabel(r.rank), (r) => r.rank], ns('in MPI', 'total_ns'), ns('messages', 'messages_ns'), ns('collective', 'collectives_ns'), ['waited', (r) => time(waitOf(r.waited)), (r) => waitOf(r.waited)], ns('made others wait', 'caused_ns'),
      number('sends', 'sends'), bytes('sent', 'sent_bytes'), number('receives', 'receives'), bytes('received', 'received_bytes')], m.by_rank_left_out),
    ...(m.matrix.cells.length ? [matrixPart()] : [])];
}
/** Shows a wait in the timeline. */
$('panel').addEventListener('click', (e) => {
  const {from, span} = e.target.dataset;
  if (from === undefined) return;
  e.preventDefault();
  setView(Number(from) - 0.5 * Number(span), Number(from) + 1.5 * Number(span));
  $('stage').scrollIntoView();
});
