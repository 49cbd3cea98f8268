// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Finding things in the timeline by where they are.
import {remember} from './address.js';
import {$, joined, tag} from './dom.js';
import {bytesText, count, time} from './numbers.js';
import {above, isSum} from './rows.js';
import {describeActivity} from './strips.js';
import {AXIS, meta, ROW} from './trace.js';
import {filterLanes, foldedProcesses, foldProcesses, hasSummary, layout, NAMES, order, redraw, rowsOf, setSelected, setView, summaryY, toTime, view, width} from './timeline.js';

// ---- What is where.
export function hit(x, y) {
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
/** What several slices are together: their name is that of most of the time. @returns {any[][]} */
function describeSum({row, index}) {
  const name = row.name[index], begin = row.begin[index], begun = row.count[index], source = meta.sources[name];
  return [[tag('b', {}, `mostly ${meta.names[name]}`)], [`${begun ? count(begun) : 'none'} begun on ${row.lane.name}, about ${time(row.end[index] - begin)} together, from ${time(begin)} on`],
    ...(source ? [[source]] : []), ['zoom in for single ones']];
}
/** What a slice is, in parts that belong on lines of their own. @returns {any[][]} */
function describe(what) {
  if (isSum(what)) return describeSum(what);
  const {row, index} = what, name = row.name[index], begin = row.begin[index], end = row.end[index], source = meta.sources[name];
  const parts = [[tag('b', {}, meta.names[name])], [`${time(end - begin)} on ${row.lane.name}, from ${time(begin)} to ${time(end)}`]];
  if (source) parts.push([source]);
  const copy = meta.copies.find((c) => c[0] === row.lane.index && c[1] === begin);
  if (copy) parts.push([`${bytesText(copy[2])}, ${end > begin ? bytesText(copy[2] * 1e9 / (end - begin)) + '/s' : ''}`]);
  const outer = row.depth > 0 && row.lane.rows[row.depth - 1];
  if (outer) { const k = above(outer.end, begin); if (k < outer.begin.length && outer.begin[k] <= begin && !isSum({row: outer, index: k})) parts.push([`in ${meta.names[outer.name[k]]}`]); }
  const of = row.lane.side, total = of.report.constructs.find((c) => c.region === name - of.name);
  if (total) parts.push([`all: ${count(total.count)} times, ${time(total.total_ns)}, mean ${time(total.mean_ns)}, longest ${time(total.longest_ns)}`]);
  return parts;
}
/** For the tooltip. */
export const tooltipOf = (what) => joined(describe(what), () => tag('br')).flat();
/** For the tooltip, of what the threads of a folded process do together; null: that is not there. */
export function tooltipOfSummary(x, y) {
  if (x < NAMES || y < $('scroller').scrollTop + AXIS) return null;
  const lane = order.find((l) => y >= l.y && y < l.y + l.height);
  const parts = lane && hasSummary(lane) && lane.activity && y >= summaryY(lane) ? describeActivity(lane.owner.name, lane.activity, toTime(x)) : null;
  return parts && joined(parts, () => tag('br')).flat();
}
export function select(what, show) {
  setSelected(what);
  if (what) {
    $('details').replaceChildren(...joined(describe(what), () => ' · ').flat());
    if (show) reveal(what);
  }
  remember();
  redraw();
}
function reveal(what) {
  const {row, index} = what, lane = row.lane, scroller = $('scroller');
  if (lane.hidden && foldedProcesses && lane.owner && !lane.first) foldProcesses();
  if (lane.hidden) filterLanes('');
  if (lane.folded && row.depth > 0) { lane.folded = false; layout(); }
  if (lane.y < scroller.scrollTop + AXIS || lane.y + lane.height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = Math.max(0, lane.y - AXIS);
  const begin = row.begin[index], end = row.end[index];
  if (end < view.t0 || begin > view.t1) { const span = view.t1 - view.t0, middle = (begin + end) / 2; setView(middle - span / 2, middle + span / 2); }
}
export function zoomTo(what) {
  const begin = what.row.begin[what.index], end = what.row.end[what.index], margin = Math.max(20, (end - begin) * 0.3);
  setView(begin - margin, end + margin);
  select(what, true);
}
