// SPDX-License-Identifier: BSD-3-Clause
// The tables and their tabs.
// ---- Tables.
const link = (name) => `<a href="#" data-go="${escape(name)}">${escape(name)}</a>`;
const processName = (group) => (report.processes.find((p) => p.process === group) || { name: '' }).name;
const deviceName = (device) => report.processes.length > 1 ? `${device.name}, ${processName(device.process)}` : device.name;
/** Columns: [title, cell(row) as HTML, number(row) to sort by or null]. */
function table(title, rows, columns, more = 0) {  // more: rows that are not in the page
  const section = document.createElement('section');
  if (title) section.innerHTML = `<h2>${escape(title)}</h2>`;
  const element = document.createElement('table');
  const shown = 300;
  const fill = (sorted) => {
    element.tBodies[0].innerHTML = sorted.slice(0, shown).map((row) => '<tr>' + columns.map((c) => `<td class="${c[2] ? 'n' : ''}">${c[1](row)}</td>`).join('') + '</tr>').join('') +
      (sorted.length + more > shown ? `<tr><td colspan="${columns.length}" class="muted">... and ${sorted.length + more - shown} more: tracer report --json has them all</td></tr>` : '');
  };
  element.innerHTML = '<thead><tr>' + columns.map((c, i) => `<th class="${c[2] ? 'n' : ''}">${c[2] ? `<button data-sort="${i}">${escape(c[0])}</button>` : escape(c[0])}</th>`).join('') + '</tr></thead><tbody></tbody>';
  element.tHead.addEventListener('click', (e) => {
    const i = e.target.dataset.sort;
    if (i !== undefined) fill([...rows].sort((a, b) => columns[i][2](b) - columns[i][2](a)));
  });
  fill(rows);
  const wide = document.createElement('div');
  wide.className = 'wide';
  wide.append(element);
  section.append(wide);
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
const laneName = (location) => lanes[side.location + location] ? lanes[side.location + location].name : '';

/** What threads did in the range that is measured, else in the part that is in view: time in each region itself, from the
 *  slices of the lanes that are shown. `of`: one of the traces. */
function inView(of = side) {
  const own = new Map(), [begin, end] = range || [view.t0, view.t1];
  let whole = 0;
  for (const lane of order) {
    if (lane.side !== of || lane.bands) continue;
    for (let d = 0; d < lane.rows.length; ++d) {
      const row = lane.rows[d], inner = lane.rows[d + 1];
      let k = inner ? above(inner.end, begin) : 0;
      for (let i = above(row.end, begin); i < row.begin.length && row.begin[i] < end; ++i) {
        const from = Math.max(row.begin[i], begin), to = Math.min(row.end[i], end);
        let ns = to - from;
        while (inner && k < inner.begin.length && inner.begin[k] < to) {
          ns -= Math.max(0, Math.min(inner.end[k], to) - Math.max(inner.begin[k], from));
          if (inner.end[k] > to) break;
          ++k;
        }
        const sum = own.get(row.name[i]) || {name: row.name[i], ns: 0, count: 0, longest: 0};
        sum.ns += Math.max(0, ns); ++sum.count; sum.longest = Math.max(sum.longest, to - from);
        whole += Math.max(0, ns);
        own.set(row.name[i], sum);
      }
    }
  }
  return {rows: [...own.values()].sort((a, b) => b.ns - a.ns), whole, begin, end};
}
/** How much of a range the critical path spends in the trace's threads, and on how many of them. */
function pathInView(begin, end, of = side) {
  let ns = 0;
  const on = new Set();
  for (const [location, from, to] of of.path) {
    const part = Math.min(to, end) - Math.max(from, begin);
    if (part > 0) { ns += part; on.add(location); }
  }
  return {ns, threads: on.size};
}
function sumBy(rows, key) {
  const sums = new Map();
  for (const row of rows) { const name = key(row), old = sums.get(name) || {name, ns: 0, count: 0}; old.ns += row.ns; old.count += row.count; sums.set(name, old); }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}
/** The account as one bar, and as a table. */
function accountParts() {
  const account = report.account, all = Object.entries(account.time).map(([name, ns]) => ({name: name.slice(0, -3), ns})).filter((p) => p.ns > 0).sort((a, b) => b.ns - a.ns);
  const label = all.map((p) => `${placeNames[p.name]} ${percent(p.ns, account.total_ns)}`).join(', ');
  const picture = html(`<h2>Where the time went</h2><p class="muted">All time of ${count(account.threads)} threads, ${account.within_phases_ns != null ? 'in these phases' : report.trace.properties['TRACER::PART'] ? 'in this part of the trace' : account.whole_process ? "from the process' start to its end" : 'from the first event to the last'}: ${time(account.total_ns)}.</p>` +
    `<div class="bar tall" id="account" role="img" aria-label="${escape(label)}">` + all.map((p) => `<span title="${escape(placeNames[p.name])} ${time(p.ns)} (${percent(p.ns, account.total_ns)})" style="width:${100 * p.ns / account.total_ns}%;background:${placeColour(p.name)}"></span>`).join('') + '</div>');
  return [picture, table('', all, [['place', (p) => `<i class="swatch" style="background:${placeColour(p.name)}"></i>${escape(placeNames[p.name] || p.name)}`], ['time', (p) => time(p.ns), (p) => p.ns], ['share', (p) => percent(p.ns, account.total_ns), (p) => p.ns]])];
}
function verdictPart() {
  const verdict = report.verdict, wall = report.account.within_phases_ns ?? report.account.end_ns - report.account.begin_ns;
  return html(`<h2>Verdict</h2><p id="verdict" class="${verdict.state === 'ok' ? '' : 'warning'}">${escape(verdict.summary)}</p>` +
    verdict.notes.map((n) => `<p class="warning">${escape(n.text)}</p>`).join('') +
    '<ol class="findings">' + verdict.findings.map((f, i) => `<li><b>${time(f.win_ns)}</b> (${percent(f.win_ns, wall)} of the run): ${escape(f.text)}<br><b>Try:</b> ${escape(f.advice)} <span class="muted">Sureness: ${escape(f.sure)}.</span>` +
      (f.at_ns ? ` <a href="#" data-finding="${i}">show it</a>` : '') + (f.name && meta.names.includes(f.name) ? ` <a href="#" data-go="${escape(f.name)}">find ${escape(f.name)}</a>` : '') + '</li>').join('') + '</ol>');
}
function showFinding(finding) {
  const span = Math.max(1000, 4 * finding.win_ns / Math.max(1, report.account.threads));
  setView(finding.at_ns - 0.8 * span, finding.at_ns + 0.2 * span);
  $('stage').scrollIntoView();
}

/** The same regions in the other trace, in the same range. */
function comparedKind(rows) {
  const other = sides[1 - sides.indexOf(side)], there = new Map();
  for (const row of inView(other).rows) there.set(meta.names[row.name], row.ns);
  for (const row of rows) row.there = there.get(meta.names[row.name]) || 0;
  return [[other.title, (r) => time(r.there), (r) => r.there]];
}
const signed = (ns) => (ns > 0 ? '+' : '') + time(ns);
/** Columns of a change: before, after, how much, and whether that is more than noise. */
function changeColumns(title, change) {
  const name = (text) => title ? `${title} ${text}` : text, kind = (c) => c.beyond_noise === false || c.delta === 0 ? 'muted' : c.delta > 0 ? 'more' : 'less';
  return [[name('before'), (r) => time(change(r).before), (r) => change(r).before], [name('after'), (r) => time(change(r).after), (r) => change(r).after],
    [name('change'), (r) => { const c = change(r); return `<span class="${kind(c)}">${signed(c.delta)}${c.delta && c.relative !== null ? ` (${c.relative > 0 ? '+' : ''}${(100 * c.relative).toFixed(1)} %)` : ''}${c.beyond_noise ? ' *' : ''}</span>`; }, (r) => Math.abs(change(r).delta)]];
}

const panels = {
  Comparison: () => {
    const diff = meta.diff, several = diff.before.length > 1 && diff.after.length > 1, whole = Object.entries(diff.whole).map(([name, change]) => ({name, change})).filter((row) => row.change.before || row.change.after);
    return [html(`<p>before: ${escape(diff.before.join(', '))}<br>after: ${escape(diff.after.join(', '))}</p>` + diff.limits_passed.map((text) => `<p class="warning">Limit passed: ${escape(text)}</p>`).join('') +
      `<p class="muted">${several ? '* more than the runs of one side differ among themselves (95 %). The timelines are those of the first of each side.' : 'One run a side: what is noise is not known.'}</p>`),
      table('The whole run', whole, [['of all threads', (r) => escape(r.name)], ...changeColumns('', (r) => r.change)]),
      table('Constructs', diff.constructs, [['construct', (r) => link(r.name)], ['times', (r) => r.count.delta ? `${count(r.count.before)} > ${count(r.count.after)}` : count(r.count.after), (r) => r.count.after],
        ...changeColumns('', (r) => r.time), ...changeColumns('waiting', (r) => r.waiting), ...changeColumns('imbalance', (r) => r.imbalance)])];
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
    if (!report.samples) parts.push(html('<p class="muted">Which functions take the time, and whether threads ran while they waited: record with <code>tracer run --sample</code>.</p>'));
    if (side.dropped) parts.push(html(`<p class="muted">The timeline shows the ${count(side.shown)} longest slices; ${count(side.dropped)} shorter than ${time(side.threshold)} are drawn together. The numbers below are of all.</p>`));
    if (side.leftOut) parts.push(html(`<p class="muted">The timeline is without ${count(side.leftOut)} slices shorter than ${time(meta.shortest)}.</p>`));
    if (report.trace.properties['TRACER::FILTER']) parts.push(html(`<p class="muted">Filtered: ${escape(report.trace.properties['TRACER::FILTER'])}</p>`));
    if (report.trace.properties['TRACER::PART']) parts.push(html(`<p class="muted">A part of the trace: ${escape(report.trace.properties['TRACER::PART'])}.</p>`));
    parts.push(html('<h2>What the threads did</h2>'), legend());
    parts.push(table('', report.threads, [['thread', (r) => escape(laneName(r.location))], ['time', (r) => bar(r.time, report.wall_ns)], ['work', (r) => percent(r.time.work_ns, report.wall_ns), (r) => r.time.work_ns],
      ...activities.slice(1).map((a) => [activityNames[a], (r) => percent(r.time[a + '_ns'], report.wall_ns), (r) => r.time[a + '_ns']]), ['tasks', (r) => count(r.tasks), (r) => r.tasks], ['events', (r) => count(r.events), (r) => r.events]]));
    return parts;
  },
  'In view': () => {
    const {rows, whole, begin, end} = inView(), kind = [['time', (r) => time(r.ns), (r) => r.ns], ['share', (r) => percent(r.ns, whole), (r) => r.ns], ['count', (r) => count(r.count), (r) => r.count]];
    if (compared) kind.push(...comparedKind(rows));
    const path = pathInView(begin, end), from = Math.max(0, begin), to = Math.min(length, end);
    return [html(`<p class="muted">${range ? 'The range' : 'In view'}: from ${time(from)} to ${time(to)}, ${time(to - from)}${order.length < lanes.length ? `, ${count(order.length)} of ${count(lanes.length)} threads` : ''}${path.ns ? `; the critical path is at work in it for ${time(path.ns)} on ${count(path.threads)} thread${path.threads > 1 ? 's' : ''}` : ''}. ` +
      '<kbd>Shift</kbd> and drag over the timeline, or <kbd>m</kbd> on a selected slice, measures another range.</p>'),
      table('', rows, [['region', (r) => link(meta.names[r.name])], ...kind, ['longest', (r) => time(r.longest), (r) => r.longest]]),
      table('By construct', sumBy(rows, (r) => meta.labels[r.name]), [['construct', (r) => escape(r.name)], ...kind.slice(0, 3)]),
      table('By function', sumBy(rows, (r) => (meta.sources[r.name].split(', ')[1] || 'unknown')), [['function', (r) => escape(r.name)], ...kind.slice(0, 3)]),
      table('By file', sumBy(rows, (r) => (meta.sources[r.name].split(':')[0] || 'unknown')), [['file', (r) => escape(r.name)], ...kind.slice(0, 3)])];
  },
  Samples: () => samplesParts(),
  Processes: () => [legend(), processesTable()],
  MPI: () => mpiParts(),
  Constructs: () => [table('', report.constructs, [['construct', (r) => link(r.name)], ['share', (r) => percent(r.exclusive_ns, report.constructs_exclusive_ns), (r) => r.exclusive_ns], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['self', (r) => time(r.exclusive_ns), (r) => r.exclusive_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean], ['lost', (r) => time(r.balance.lost_ns), (r) => r.balance.lost_ns]], report.constructs_left_out)],
  Phases: () => [legend(), table('', report.phases, [['phase', (r) => link(r.name)], ['said by', (r) => escape(r.said_by)], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns], ['work of all threads', (r) => time(r.time.work_ns), (r) => r.time.work_ns], ['waiting', (r) => time(r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns), (r) => r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns],
    ['in MPI', (r) => time(r.mpi_ns), (r) => r.mpi_ns], ['on devices', (r) => time(r.device_operations_ns), (r) => r.device_operations_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean]], report.phases_left_out)],
  'Parallel regions': () => [legend(), table('', report.parallel_regions, [['region', (r) => link(r.name)], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['wall', (r) => time(r.wall_ns), (r) => r.wall_ns],
    ['threads', (r) => count(r.threads), (r) => r.threads], ['lost to imbalance', (r) => percent(r.balance.lost_ns, r.wall_ns), (r) => r.balance.lost_ns / (r.wall_ns || 1)], ['slowest', (r) => escape(r.balance.slowest)]], report.parallel_regions_left_out),
    ...report.parallel_regions.slice(0, 20).map((r) => table(r.name, r.members, [['thread', (m) => escape(laneName(m.location))], ['time', (m) => bar(m.time, sum(m.time))],
      ['work', (m) => time(m.time.work_ns), (m) => m.time.work_ns], ['waits at barriers', (m) => time(m.time.barrier_ns), (m) => m.time.barrier_ns]], r.members_left_out || 0))],
  Tasks: () => {
    const t = report.tasks, parts = [cards([['tasks', count(t.created)], ['mean', time(t.mean_ns)], ['longest', time(t.longest_ns)], ['dependences', count(t.dependences)], ['longest path', count(t.graph.critical_path_tasks) + ' tasks, ' + time(t.graph.critical_path_ns)], ['longest chain of dependences', count(t.graph.chain_tasks) + ' tasks, ' + time(t.graph.chain_ns)],
      ['parallelism of the graph', digits(t.graph.parallelism)], ['start after creation', time(t.start_delay_ns)], ['run by another thread', percent(t.run_by_other_thread, t.completed)], ['waiting', time(t.wait_ns)]])];
    parts.push(table('', t.regions, [['task', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['shortest', (r) => time(r.shortest_ns), (r) => r.shortest_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]], t.regions_left_out));
    if (side.tasks.length) parts.push(html('<h2>Task graph</h2>' + (side.tasksLeftOut ? `<p class="muted">The first ${count(side.tasks.length)} tasks; ${count(side.tasksLeftOut)} more are not drawn.</p>` : '') +
      '<p class="muted">Left to right: what must come first. Solid: depend. Dotted: created by. Wheel zooms, dragging moves, a click shows the task in the timeline.</p><canvas id="graph" tabindex="0" role="img" aria-label="Task graph"></canvas>'));
    return parts;
  },
  Locks: () => [table('', report.locks, [['lock', (r) => link(r.name) + ` <span class="muted">#${r.lock}${report.processes.length > 1 ? `, ${escape(processName(r.process))}` : ''}</span>`], ['acquired', (r) => count(r.acquisitions), (r) => r.acquisitions], ['found taken', (r) => percent(r.contended, r.acquisitions), (r) => r.contended / (r.acquisitions || 1)],
    ['waited', (r) => time(r.wait_ns), (r) => r.wait_ns], ['longest wait', (r) => time(r.longest_wait_ns), (r) => r.longest_wait_ns], ['held', (r) => time(r.held_ns), (r) => r.held_ns]], report.other_locks.locks)],
  Devices: () => report.devices.length > 4 ? [table('', report.devices, [['device', (d) => escape(deviceName(d))], ['busy', (d) => time(d.busy_ns), (d) => d.busy_ns], ['idle', (d) => percent(d.idle_ns, d.span_ns), (d) => d.idle_ns / (d.span_ns || 1)],
    ['while the host works', (d) => percent(d.overlap_host_ns, d.busy_ns), (d) => d.overlap_host], ['kernels', (d) => count(d.kernels), (d) => d.kernels], ['time in kernels', (d) => time(d.kernel_ns), (d) => d.kernel_ns],
    ['to the device', (d) => bytesText(d.to_device.bytes), (d) => d.to_device.bytes], ['from the device', (d) => bytesText(d.from_device.bytes), (d) => d.from_device.bytes]])] : report.devices.flatMap((d) => [html(`<h2>${escape(deviceName(d))}</h2>` + (d.provider ? `<p class="muted">recorded by ${escape(d.provider)}</p>` : '')),
    cards([['busy', time(d.busy_ns)], ['idle', percent(d.idle_ns, d.span_ns)], ['while the host works', percent(d.overlap_host_ns, d.busy_ns)], ['kernels with copies', percent(d.overlap_transfer_ns, d.busy_ns)],
      ['to the device', `${bytesText(d.to_device.bytes)}, ${bytesText(d.to_device.bytes_per_second)}/s`], ['from the device', `${bytesText(d.from_device.bytes)}, ${bytesText(d.from_device.bytes_per_second)}/s`]]),
    table('', d.kernels_by_name, [['kernel', (r) => link(r.name)], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns], ['mean', (r) => time(r.mean_ns), (r) => r.mean_ns], ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns]])]),
  Trace: () => [table('', Object.entries(report.trace.properties), [['property', (r) => escape(r[0])], ['value', (r) => escape(r[1])]]), table('Events', Object.entries(report.event_counts), [['event', (r) => escape(r[0])], ['count', (r) => count(r[1]), (r) => r[1]]]),
    table('Callbacks', Object.entries(report.callbacks), [['callback', (r) => escape(r[0])], ['count', (r) => count(r[1]), (r) => r[1]]])],
};
let current = compared ? 'Comparison' : 'Summary';
function tabNames() {
  return Object.keys(panels).filter((name) => !(name === 'Comparison' && !meta.diff) && !(name === 'Samples' && !report.samples) && !(name === 'Processes' && report.processes.length < 2) && !(name === 'MPI' && !report.mpi.ranks) && !(name === 'Phases' && !report.phases.length) && !(name === 'Tasks' && !report.tasks.created) && !(name === 'Locks' && !report.locks.length) && !(name === 'Devices' && !report.devices.length) && !(name === 'Parallel regions' && !report.parallel_regions.length));
}
/** Of two traces: the one whose tables are shown. */
function showSide(one) {
  side = one; report = one.report;
  $('sides').replaceChildren(...(compared ? sides.map((each) => {
    const button = document.createElement('button');
    button.textContent = each.title; button.setAttribute('aria-pressed', each === side);
    button.onclick = () => { showSide(each); remember(); };
    return button;
  }) : []));
  showTab(tabNames().includes(current) ? current : 'Summary');
}
function showTab(name) {
  current = name;
  $('tabs').replaceChildren(...tabNames().map((tab) => {
    const button = document.createElement('button');
    button.textContent = tab; button.role = 'tab'; button.setAttribute('aria-selected', tab === name); button.tabIndex = tab === name ? 0 : -1;
    button.onclick = () => { showTab(tab); remember(); };
    button.onkeydown = (e) => { const all = tabNames(), by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0; if (by) { showTab(all[(all.indexOf(tab) + by + all.length) % all.length]); $('tabs').querySelector('[aria-selected="true"]').focus(); e.preventDefault(); e.stopPropagation(); } };
    return button;
  }));
  $('panel').replaceChildren(...panels[name]());
  if (name === 'Tasks') drawGraph();
  if (name === 'Samples') startSamples();
}
$('panel').addEventListener('click', (e) => { if (e.target.dataset.finding) { e.preventDefault(); showFinding(report.verdict.findings[e.target.dataset.finding]); } if (e.target.dataset.go) { e.preventDefault(); goTo(e.target.dataset.go); } });
