// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {addTime, holds, parseParts, parseQuery} from '../../tracer/report/page/web/query.js';

test('what is searched for, and in which phase', () => {
  assert.deepEqual(parseQuery('  Implicit Barrier '), {what: 'implicit barrier', phase: undefined});
  assert.deepEqual(parseQuery('barrier in:Solve'), {what: 'barrier', phase: 'solve'});
  assert.deepEqual(parseQuery('in:solve the rest'), {what: '', phase: 'solve the rest'});
  assert.deepEqual(parseQuery('barrier in:'), {what: 'barrier', phase: ''});
  assert.deepEqual(parseQuery('main:init'), {what: 'main:init', phase: undefined});
  assert.deepEqual(parseQuery(''), {what: '', phase: undefined});
});
test('parts of names have commas between them', () => {
  assert.deepEqual(parseParts(' Master, thread 2,, '), ['master', 'thread 2']);
  assert.deepEqual(parseParts(' , '), []);
});
test('times that touch are one, and hold what is within one of them', () => {
  const times = {begin: [], end: []};
  for (const [begin, end] of [[0, 10], [5, 7], [10, 20], [30, 40]]) addTime(times, begin, end);
  assert.deepEqual(times, {begin: [0, 30], end: [20, 40]});
  assert.deepEqual([[0, 20], [8, 12], [15, 21], [20, 31], [30, 40], [41, 42]].map(([a, b]) => holds(times, a, b)), [true, true, false, false, true, false]);
  assert.equal(holds(undefined, 0, 1), false);
});
