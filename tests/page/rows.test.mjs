// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {above, addOwnTimes, bytesOf, comparedKeys, crosses, decodeRow, functionIn, integersOf, isSum, namesAfter, pathWithin, sumBy} from '../../tracer/report/page/web/rows.js';

const row = (...slices) => ({begin: Float64Array.from(slices, (s) => s[0]), end: Float64Array.from(slices, (s) => s[1]), name: Uint32Array.from(slices, (s) => s[2])});

/** As the report writes them. */
function encoded(...numbers) {
  const bytes = [];
  for (let n of numbers) {
    while (n >= 128) { bytes.push(n % 128 + 128); n = Math.floor(n / 128); }
    bytes.push(n);
  }
  return btoa(String.fromCharCode(...bytes));
}

test('the function of a source has all of its signature', () => {
  assert.equal(functionIn('/src/a.cpp:10, solve(int, double)'), 'solve(int, double)');
  assert.equal(functionIn('/src/a.cpp:10, main'), 'main');
  for (const source of ['', '/src/a.cpp:10']) assert.equal(functionIn(source), 'unknown');
});

test('a construct that moved has the name after', () => {
  const construct = (name, was, before) => ({name, was, count: {before, after: 1}});
  const names = namesAfter([construct('for @a.c:10', 'for @a.c:5', 1), construct('for @a.c:15', 'for @a.c:10', 1), construct('new', 'new', 0), construct('gone (before)', 'gone', 2)]);
  assert.deepEqual([...names], [['for @a.c:5', 'for @a.c:10'], ['for @a.c:10', 'for @a.c:15'], ['gone', 'gone (before)']]);
  // Of two constructs of one name one moved: which is unknown here.
  assert.equal(namesAfter([construct('for @a.c:40', 'for @a.c:40', 1), construct('for @a.c:42', 'for @a.c:40', 1)]).get('for @a.c:40'), 'for @a.c:40');
  assert.equal(namesAfter([construct('for @a.c:42', 'for @a.c:40', 1), construct('for @a.c:40', 'for @a.c:40', 1)]).get('for @a.c:40'), 'for @a.c:40');
});
test('regions of two traces are the same by name, and by function where a trace has several of that name', () => {
  const names = ['for @a.c:5', 'for @b.c:7', 'for @b.c:7', 'for @a.c:10', 'for @b.c:7', 'for @b.c:7'];
  const sources = ['/a.c:5, f(int)', '/x/b.c:7, x', '/y/b.c:7, y', '/a.c:10, f(long)', '/y/b.c:7, y', '/x/b.c:7, x'];
  const keys = comparedKeys(names, sources, 3, new Map([['for @a.c:5', 'for @a.c:10']]));
  assert.equal(keys[0], keys[3]);
  assert.equal(keys[1], keys[5]);
  assert.equal(keys[2], keys[4]);
  assert.equal(new Set(keys).size, 3);
});

test('integers of any size are read back', () => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40 + 5, 2 ** 53 - 1], read = integersOf(bytesOf(encoded(...numbers)));
  assert.deepEqual(numbers.map(() => read()), numbers);
});
test('a sum is a slice of a row that is not exact, or one that several were put together in', () => {
  const slices = row([1, 5, 0], [5, 9, 1]), sums = (more) => [0, 1].map((index) => isSum({row: {...slices, ...more}, index}));
  assert.deepEqual(sums({}), [false, false]);  // the report's page
  assert.deepEqual(sums({exact: true, count: [1, 1]}), [false, false]);
  assert.deepEqual(sums({exact: true, count: [1, 3]}), [false, true]);
  assert.deepEqual(sums({exact: false, count: [1, 0]}), [true, true]);
  assert.deepEqual(sums({exact: undefined, count: undefined}), [false, false]);  // no answer yet
});
test('a row is gaps, durations and names', () => {
  const got = decodeRow(integersOf(bytesOf(encoded(5, 10, 0, 0, 7, 2, 1000, 1, 1))), 3, 40);
  assert.deepEqual(got, row([5, 15, 40], [15, 22, 42], [1022, 1023, 41]));
});
test('above() is the first index with a greater value, from any lower bound', () => {
  const values = [1, 3, 3, 3, 8, 13, 13, 21];
  for (let t = 0; t <= 22; ++t) {
    const expected = values.filter((v) => v <= t).length;
    for (let from = 0; from <= expected; ++from) assert.equal(above(values, t, from), expected, `${t} from ${from}`);
  }
  assert.equal(above([], 1), 0);
});
test('what crosses a part of the time is in it, also where its end is before its begin', () => {
  for (const [one, other] of [[1, 9], [1, 4], [6, 9], [5, 5], [0, 4], [6, 7]]) {
    assert.ok(crosses(one, other, 4, 6), `${one} ${other}`);
    assert.ok(crosses(other, one, 4, 6), `${other} ${one}`);
  }
  for (const [one, other] of [[1, 3], [7, 9]]) {
    assert.ok(!crosses(one, other, 4, 6), `${one} ${other}`);
    assert.ok(!crosses(other, one, 4, 6), `${other} ${one}`);
  }
});
test('own times are those of slices without what is inside of them, cut at the range', () => {
  const rows = [row([0, 100, 1], [120, 140, 1]), row([10, 30, 2], [50, 90, 3]), row([60, 70, 2])], sums = new Map();
  assert.equal(addOwnTimes(rows, 0, 200, sums), 120);
  assert.deepEqual([...sums.values()], [{name: 1, ns: 60, count: 2, longest: 100}, {name: 2, ns: 30, count: 2, longest: 20}, {name: 3, ns: 30, count: 1, longest: 40}]);
  const part = new Map();
  assert.equal(addOwnTimes(rows, 20, 65, part), 45);
  assert.deepEqual([...part.values()].map((s) => [s.name, s.ns]), [[1, 20], [2, 15], [3, 10]]);
  assert.equal(addOwnTimes(rows, 100, 120, new Map()), 0);
});
test('own times of random nested rows add up to what the outermost cover', () => {
  let seed = 7;
  const random = (n) => { seed = (seed * 1103515245 + 12345) % 2 ** 31; return seed % n; };
  const inside = (from, to, depth, rows) => {
    for (let at = from; at < to;) {
      const begin = at + random(20), end = Math.min(to, begin + 1 + random(60));
      if (begin >= end) break;
      (rows[depth] ||= []).push([begin, end, random(5)]);
      if (depth < 4) inside(begin, end, depth + 1, rows);
      at = end;
    }
    return rows;
  };
  const rows = inside(0, 3000, 0, []), sums = new Map();
  const covered = rows[0].reduce((all, [from, to]) => all + to - from, 0);
  assert.equal(addOwnTimes(rows.map((slices) => row(...slices)), 0, 3000, sums), covered);
  assert.equal([...sums.values()].reduce((all, s) => all + s.ns, 0), covered);
});
test('the critical path within a range', () => {
  assert.deepEqual(pathWithin([[0, 0, 10], [1, 10, 30], [0, 30, 40]], 5, 30), {ns: 25, threads: 2});
  assert.deepEqual(pathWithin([], 0, 1), {ns: 0, threads: 0});
});
test('sums by a key, largest first', () => {
  assert.deepEqual(sumBy([{ns: 1, count: 1, k: 'a'}, {ns: 5, count: 2, k: 'b'}, {ns: 3, count: 1, k: 'a'}], (r) => r.k), [{name: 'b', ns: 5, count: 2}, {name: 'a', ns: 4, count: 2}]);
});
