// SPDX-License-Identifier: BSD-3-Clause
// The viewer's own look-ups, beside the modules of the report's page that they are bundled with.
import assert from 'node:assert/strict';
import {copyFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const page = mkdtempSync(join(tmpdir(), 'page-'));
for (const file of ['report/page/web/package.json', 'report/page/web/rows.js', 'view/web/lookup.js'])
  copyFileSync(fileURLToPath(new URL('../../tracer/' + file, import.meta.url)), join(page, file.split('/').pop()));
const {goesOnFrom, listOf, nameSought, placeOf, rowOf, sliceOf, threadsIn} = await import(pathToFileURL(join(page, 'lookup.js')).href);
rmSync(page, {recursive: true});

test('numbers of lanes are ranges', () => {
  assert.equal(listOf([]), '');
  assert.equal(listOf([7]), '7');
  assert.equal(listOf([3, 1, 0, 2, 9, 7, 8, 12]), '0-3,7-9,12');
});
test('a long list of numbers far apart is bits, short enough for an address', () => {
  const even = Array.from({length: 5000}, (_, i) => 2 * i), list = listOf(even);
  assert.equal(list, '~' + 'V'.repeat(1666) + 'F');
  assert.equal(listOf(Array.from({length: 10000}, (_, i) => i)), '0-9999');
  assert.equal(listOf([0, 100000]), '0,100000');
});
test('of slices that begin together the one that ends so and has the name', () => {
  const row = {begin: Float64Array.of(1, 5, 5, 5, 9), end: Float64Array.of(5, 5, 5, 8, 10), name: Uint32Array.of(0, 1, 2, 3, 4)};
  for (let index = 0; index < 5; ++index) assert.equal(placeOf(row, sliceOf({row, index})), index);
  assert.equal(placeOf(row, {begin: 5, end: 8, name: 99}), 3);
  assert.equal(placeOf(row, {begin: 5, end: 7, name: 1}), 3);
  assert.equal(placeOf(row, {begin: 6, end: 8, name: 3}), -1);
  assert.equal(placeOf({begin: [], end: [], name: []}, {begin: 0, end: 0, name: 0}), -1);
});
test('a single slice is not taken for the sum that begins with it, nor a sum for a single one', () => {
  const row = {begin: Float64Array.of(1, 5), end: Float64Array.of(5, 9), name: Uint32Array.of(0, 1), count: [1, 3], exact: true}, sum = {begin: 5, end: 9, name: 1, sum: 3};
  assert.deepEqual([0, 1].map((index) => sliceOf({row, index})), [{begin: 1, end: 5, name: 0}, sum]);
  assert.equal(placeOf(row, {begin: 5, end: 9, name: 1}), -1);
  assert.equal(placeOf(row, sum), 1);
  assert.equal(placeOf(row, {begin: 1, end: 5, name: 0, sum: 3}), -1);
  assert.equal(placeOf({...row, exact: false}, {begin: 1, end: 5, name: 0}), -1);
  assert.equal(placeOf({...row, exact: false}, {begin: 1, end: 5, name: 0, sum: 1}), 0);
});
test('a row of a slice alone has it as it was', () => {
  const lane = {};
  for (const what of [{begin: 3, end: 8, name: 2}, {begin: 3, end: 8, name: 2, sum: 0}, {begin: 3, end: 8, name: 2, sum: 7}]) {
    const row = rowOf(what, 4, lane);
    assert.deepEqual(sliceOf({row, index: 0}), what);
    assert.equal(placeOf(row, what), 0);
    assert.ok(row.lane === lane && row.depth === 4);
  }
});
test('a search goes on from what it found, also before that is selected', () => {
  const last = {text: 'for', lane: 2, begin: 70, since: 5};
  const slice = (index, begin) => ({row: {lane: {index}, begin: [begin]}, index: 0});
  assert.ok(goesOnFrom(last, 'for', null, 5));
  assert.ok(goesOnFrom(last, 'for', slice(1, 10), 5));  // what was selected before
  assert.ok(goesOnFrom(last, 'for', slice(2, 70), 6));
  for (const other of [slice(2, 71), slice(1, 70), null]) assert.ok(!goesOnFrom(last, 'for', other, 6));
  assert.ok(!goesOnFrom(last, 'barrier', null, 5));
  assert.ok(!goesOnFrom(null, 'for', null, 5));
});
test('threads are the lanes that have events and are no streams', () => {
  assert.equal(threadsIn([{stream: false, left_out: false}, {stream: true, left_out: false}, {stream: false, left_out: true}, {stream: false, left_out: false}]), 2);
});
test('the name in what is typed', () => {
  assert.equal(nameSought('critical @solve.c:88 longer than 1 ms'), 'critical @solve.c:88');
  assert.equal(nameSought('longer than 1 ms'), '');
  assert.equal(nameSought('no longer'), 'no longer');
  assert.equal(nameSought('event:leave'), '');
});
