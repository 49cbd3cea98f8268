// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The tables of devices: what each did of its time, its streams, its memory, its kernels, and what need not be moved.
import {activityColour, placeColour} from './colours.js';
import {note, tag} from './dom.js';
import {bytesText, count, percent, time} from './numbers.js';
import {barOf, cards, link, part, processName, table} from './panels.js';
import {length, report} from './trace.js';

const deviceName = (device) => report.processes.length > 1 ? `${device.name}, ${processName(device.process)}` : device.name;
/** @type {Record<string, string>} */
const deviceTimeNames = {kernel: 'kernels', kernel_and_copy: 'kernels and copies at once', copy: 'copies: kernels wait for them', host_calls: 'idle: the host launches, allocates, copies', host_waits: 'idle: the host waits for the device',
  nothing_submitted: 'idle: nothing is submitted', before: 'before its first operation', after: 'after its last operation'};
/** @param {string} place @returns {string} */
const deviceTimeColour = (place) => {
  const activity = {kernel: 'work', copy: 'device', host_calls: 'runtime', host_waits: 'barrier'}[place];
  return activity ? activityColour(activity) : place === 'kernel_and_copy' ? placeColour('serial') : activityColour('idle');
};
const timeBar = (times, whole) => barOf({class: 'bar'}, Object.keys(deviceTimeNames).map((p) => ({name: deviceTimeNames[p], ns: times[p + '_ns'], colour: deviceTimeColour(p)})).filter((p) => p.ns), whole);

/** The most bytes until the next change, over the run. What the bytes are is in `state` ("allocated"). */
function memoryPart(memory, state = 'allocated') {
  if (!memory.points.length) return [];
  /** @param {number} at */
  const x = (at) => 600 * at / (length || 1);
  /** @param {number} bytes */
  const y = (bytes) => 48 - 46 * bytes / (memory.peak_bytes || 1);
  const marks = memory.points.map(([at, bytes], i) => tag('rect', {x: x(at), y: y(bytes), width: Math.max(0.5, x(memory.points[i + 1]?.[0] ?? length) - x(at)), height: 48 - y(bytes), fill: activityColour('device')}));
  const words = `At most ${bytesText(memory.peak_bytes)} ${state}, at ${time(memory.peak_at_ns)}; ${bytesText(memory.end_bytes)} at the end.`;
  return [note(words), tag('svg', {viewBox: '0 0 600 50', width: 600, height: 50, role: 'img', 'aria-label': `Memory over time. ${words}`}, marks)];
}
const migrations = (pages) => `${bytesText(pages.bytes)}, ${count(pages.count)} migrations, ${time(pages.ns)}`;
/** Cards of what the driver moved; none where no unified memory was used. */
function unifiedCards({to_device: to, from_device: from, device_page_faults: onDevice, host_page_faults: onHost}) {
  if (!to.count && !from.count && !onDevice && !onHost) return [];
  return [cards([['unified memory to the device', migrations(to)], ['unified memory from the device', migrations(from)], ['page faults', `${count(onDevice)} of the device, ${count(onHost)} of the host`]])];
}
const ofDevice = (device, ns) => percent(ns, device.total_ns);
const kernelsTable = (device) => table('', device.kernels_by_name, [['kernel', (r) => link(r.name)], ['line', (r) => r.line ? `${r.file.split('/').pop()}:${r.line}` : ''], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
  ['of the device', (r) => ofDevice(device, r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]]);
const streamsTable = (device) => table('', device.by_stream, [['stream', (r) => r.name], ['time', (r) => timeBar({...r.idle, kernel_ns: r.busy_ns, kernel_and_copy_ns: 0, copy_ns: 0, before_ns: r.idle.before_ns + r.idle.kernel_ns + r.idle.kernel_and_copy_ns + r.idle.copy_ns}, device.total_ns)],
  ['busy', (r) => ofDevice(device, r.busy_ns), (r) => r.busy_ns], ['others busy', (r) => ofDevice(device, r.idle.kernel_ns + r.idle.kernel_and_copy_ns + r.idle.copy_ns), (r) => r.idle.kernel_ns + r.idle.kernel_and_copy_ns + r.idle.copy_ns],
  ['host calls', (r) => ofDevice(device, r.idle.host_calls_ns), (r) => r.idle.host_calls_ns], ['host waits', (r) => ofDevice(device, r.idle.host_waits_ns), (r) => r.idle.host_waits_ns], ['nothing submitted', (r) => ofDevice(device, r.idle.nothing_submitted_ns), (r) => r.idle.nothing_submitted_ns],
  ['kernels', (r) => count(r.kernels), (r) => r.kernels], ['copies', (r) => count(r.copies), (r) => r.copies], ['bytes', (r) => bytesText(r.bytes), (r) => r.bytes]]);
const timesTable = (device) => table('', Object.keys(deviceTimeNames).filter((p) => device.time[p + '_ns']), [['time of the device', (p) => [tag('i', {style: `background:${deviceTimeColour(p)};display:inline-block;width:0.8em;height:0.8em`}), ' ', deviceTimeNames[p]]],
  ['time', (p) => time(device.time[p + '_ns']), (p) => device.time[p + '_ns']], ['share', (p) => ofDevice(device, device.time[p + '_ns']), (p) => device.time[p + '_ns']]]);
const oneDevice = (d) => [part(tag('h2', {}, deviceName(d)), d.provider ? note(`recorded by ${d.provider}`) : []),
  cards([['busy', time(d.busy_ns)], ['idle', percent(d.idle_ns, d.span_ns)], ['while the host works', percent(d.overlap_host_ns, d.busy_ns)], ['kernels with copies', percent(d.overlap_transfer_ns, d.busy_ns)],
    ['kernels at once', `${d.mean_kernels_at_once.toFixed(2)}, at most ${count(d.most_kernels_at_once)}`],
    ['to the device', `${bytesText(d.to_device.bytes)}, ${bytesText(d.to_device.bytes_per_second)}/s`], ['from the device', `${bytesText(d.from_device.bytes)}, ${bytesText(d.from_device.bytes_per_second)}/s`]]),
  unifiedCards(d.unified_memory), timeBar(d.time, d.total_ns), timesTable(d), d.by_stream.length > 1 ? streamsTable(d) : [],
  ...memoryPart(d.memory), ...memoryPart(d.memory_pools.reserved, 'reserved by memory pools'), ...memoryPart(d.memory_pools.in_use, 'in use in memory pools'), kernelsTable(d)].flat();
const manyDevices = () => table('', report.devices, [['device', (d) => deviceName(d)], ['time', (d) => timeBar(d.time, d.total_ns)], ['busy', (d) => time(d.busy_ns), (d) => d.busy_ns], ['idle', (d) => percent(d.idle_ns, d.span_ns), (d) => d.idle_ns / (d.span_ns || 1)],
  ['while the host works', (d) => percent(d.overlap_host_ns, d.busy_ns), (d) => d.overlap_host], ['kernels', (d) => count(d.kernels), (d) => d.kernels], ['time in kernels', (d) => time(d.kernel_ns), (d) => d.kernel_ns],
  ['to the device', (d) => bytesText(d.to_device.bytes), (d) => d.to_device.bytes], ['from the device', (d) => bytesText(d.from_device.bytes), (d) => d.from_device.bytes], ['memory', (d) => bytesText(d.memory.peak_bytes), (d) => d.memory.peak_bytes]]);
const movementTable = () => table('Data movement and launches that could cost less', report.data_movement, [['construct', (r) => link(r.name)], ['pattern', (r) => r.pattern], ['other side', (r) => r.other ? link(r.other) : ''], ['count', (r) => count(r.count), (r) => r.count], ['bytes', (r) => bytesText(r.bytes), (r) => r.bytes],
  ['time', (r) => time(r.ns), (r) => r.ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]]);

/** The panel. */
export const devicesParts = () => [...(report.devices.length > 4 ? [manyDevices()] : report.devices.flatMap(oneDevice)), ...(report.data_movement?.length ? [movementTable()] : [])];
