// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// The traces' reports, which the server makes when they are first asked for: findings, tables, samples by call path,
// phases.
import {ask, refresh} from './live.js';
import {decodeSamples} from './samples.js';
import {layout} from './timeline.js';
import {setBands, setSide, setTimes, side, sides} from './trace.js';

/** How far the server is. */
export const reporting = {asked: false, ready: false, share: 0, failure: ''};
/** Whether the reports are there in seconds: then nobody need ask for them. */
export const isQuick = () => sides.reduce((sum, one) => sum + one.events, 0) <= 4e6;

function takeReports(answer) {
  sides.forEach((of, i) => {
    const {report, tasks, tasksLeftOut, bands, processes, samples, cells} = answer.sides[i];
    Object.assign(of, {report, tasks, tasksLeftOut, bands, processes, samples});
    decodeSamples(cells, [of]);
  });
  setSide(side);
  setTimes();
  setBands();
  layout();
  refresh();
}
/** @param {() => void} then is called whenever the server is further */
export function askReport(then) {
  if (reporting.asked) return;
  reporting.asked = true;
  awaitReport(then, 100);
}
async function awaitReport(then, wait) {
  const answer = await ask('report', {});
  if (!answer) return;
  Object.assign(reporting, {share: answer.share, failure: answer.failure});
  if (answer.ready) takeReports(answer);
  reporting.ready = answer.ready;
  then();
  if (!answer.ready && !answer.failure) setTimeout(() => awaitReport(then, Math.min(2000, 1.5 * wait)), wait);
}
