// SPDX-License-Identifier: BSD-3-Clause
// The tables and their tabs.
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
  Phases: () => [legend(), table('', report.phases, [['phase', (r) => link(r.name)], ['said by', (r) => escape(r.said_by)], ['time', (r) => bar(r.time, sum(r.time))], ['count', (r) => count(r.count), (r) => r.count], ['total', (r) => time(r.total_ns), (r) => r.total_ns],
    ['longest', (r) => time(r.longest_ns), (r) => r.longest_ns], ['work of all threads', (r) => time(r.time.work_ns), (r) => r.time.work_ns], ['waiting', (r) => time(r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns), (r) => r.time.barrier_ns + r.time.task_wait_ns + r.time.lock_wait_ns],
    ['max/mean', (r) => r.balance.threads > 1 ? digits(r.balance.max_over_mean) : '-', (r) => r.balance.max_over_mean]])],
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
  return Object.keys(panels).filter((name) => !(name === 'Phases' && !report.phases.length) && !(name === 'Tasks' && !report.tasks.created) && !(name === 'Locks' && !report.locks.length) && !(name === 'Devices' && !report.devices.length) && !(name === 'Parallel regions' && !report.parallel_regions.length));
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
