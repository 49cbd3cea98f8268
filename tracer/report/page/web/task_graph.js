// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The task graph: columns by the longest chain before a task.
import {colours, inks} from './colours.js';
import {$, onWidth} from './dom.js';
import {time} from './numbers.js';
import {scale, setView, theme} from './timeline.js';
import {side} from './trace.js';

export function drawGraph() {
  const element = $('graph');
  if (!element) return;
  const tasks = side.tasks, byNumber = new Map(tasks.map((t, i) => [t.id, i]));
  const before = tasks.map((t) => t.after.map((id) => byNumber.get(id)).filter((i) => i !== undefined));
  const column = tasks.map(() => 0);
  tasks.forEach((t, i) => { const parent = byNumber.get(t.parent); column[i] = Math.max(parent === undefined ? 0 : column[parent] + 1, ...before[i].map((k) => column[k] + 1)); });
  const filled = [], place = tasks.map((_, i) => { const c = column[i]; filled[c] = (filled[c] || 0) + 1; return {x: 40 + c * 130, y: 24 + (filled[c] - 1) * 30}; });
  const box = {x: 0, y: 0, k: 1}, g = element.getContext('2d');
  const paint = () => {
    const w = element.clientWidth, h = element.clientHeight;
    element.width = w * scale; element.height = h * scale;
    g.setTransform(scale, 0, 0, scale, 0, 0); g.fillStyle = theme.bg; g.fillRect(0, 0, w, h);
    g.translate(box.x, box.y); g.scale(box.k, box.k); g.font = '11px system-ui, sans-serif';
    const line = (from, to, dotted) => { const a = place[from], b = place[to]; g.setLineDash(dotted ? [2, 3] : []); g.strokeStyle = dotted ? theme.line : theme.muted; g.beginPath(); g.moveTo(a.x + 96, a.y); g.bezierCurveTo(a.x + 114, a.y, b.x - 18, b.y, b.x, b.y); g.stroke(); };
    tasks.forEach((t, i) => { for (const k of before[i]) line(k, i, false); const parent = byNumber.get(t.parent); if (parent !== undefined && !before[i].length) line(parent, i, true); });
    g.setLineDash([]);
    tasks.forEach((t, i) => {
      const {x, y} = place[i];
      g.fillStyle = colours[t.name] || theme.lane; g.fillRect(x, y - 11, 96, 22);
      if (t.critical) { g.strokeStyle = theme.mark; g.lineWidth = 2; g.strokeRect(x, y - 11, 96, 22); g.lineWidth = 1; }
      g.fillStyle = inks[t.name] || theme.fg; g.fillText(`#${t.id}  ${time(t.end - t.begin)}`, x + 5, y + 4);
    });
  };
  let held = null;
  element.onwheel = (e) => { e.preventDefault(); const f = Math.exp(-e.deltaY * 0.002), k = Math.max(0.05, Math.min(4, box.k * f)); box.x = e.offsetX - (e.offsetX - box.x) * k / box.k; box.y = e.offsetY - (e.offsetY - box.y) * k / box.k; box.k = k; paint(); };
  element.onpointerdown = (e) => { held = {x: e.offsetX, y: e.offsetY, bx: box.x, by: box.y, moved: false}; element.setPointerCapture(e.pointerId); };
  element.onpointermove = (e) => { if (held) { box.x = held.bx + e.offsetX - held.x; box.y = held.by + e.offsetY - held.y; held.moved ||= Math.abs(e.offsetX - held.x) + Math.abs(e.offsetY - held.y) > 3; paint(); } };
  element.onpointerup = (e) => {
    if (held && !held.moved) {
      const x = (e.offsetX - box.x) / box.k, y = (e.offsetY - box.y) / box.k;
      const i = place.findIndex((p) => x >= p.x && x <= p.x + 96 && Math.abs(y - p.y) <= 11);
      if (i >= 0) { const t = tasks[i], margin = Math.max(20, (t.end - t.begin) * 0.5); setView(t.begin - margin, t.end + margin); $('stage').scrollIntoView(); }
    }
    held = null;
  };
  paint();
  onWidth(element, paint);
}
