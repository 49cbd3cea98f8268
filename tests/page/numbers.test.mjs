// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {axisStep, axisTime, bytesText, count, digits, fitting, percent, time} from '../../tracer/report/page/web/numbers.js';

test('durations have four digits and the unit that fits', () => {
  assert.deepEqual([0, 999, 1000, 1234567, 59999e6, -2500].map(time), ['0 ns', '999 ns', '1 µs', '1.235 ms', '60 s', '-2.5 µs']);
});
test('a text is cut where it has no room', () => {
  assert.deepEqual([3, 4, 5.9, 0].map((chars) => fitting('four', chars)), ['fo…', 'four', 'four', 'f…']);
});
test('a time on the axis has as many decimals as tell marks apart', () => {
  assert.equal(axisTime(1.5e9, 1e8), '1.5 s');
  assert.equal(axisTime(1e9, 1e9), '1 s');
  assert.equal(axisTime(1234567, 1), '1.234567 ms');
  assert.equal(axisTime(0, 5000), '0 µs');
  assert.equal(new Set([0, 1, 2, 3].map((i) => axisTime(2e9 + i * 20, 20))).size, 4);
});
test('marks are 1, 2 or 5 times a power of ten apart, never closer than wanted', () => {
  assert.deepEqual([1, 1.1, 2.5, 7, 10, 99999, 0.3].map(axisStep), [1, 2, 5, 10, 10, 100000, 0.5]);
  for (let wanted = 1e-3; wanted < 1e12; wanted *= 1.37) assert.ok(axisStep(wanted) >= wanted && axisStep(wanted) < 2.6 * wanted, String(wanted));
});
test('sizes, counts and shares', () => {
  assert.deepEqual([0, 1023, 1024, 1536, 5 * 1024 ** 5].map(bytesText), ['0 B', '1023 B', '1 KiB', '1.5 KiB', '5 PiB']);
  assert.equal(count(1234567.4), '1,234,567');
  assert.equal(digits(1.00049), '1');
  assert.deepEqual([percent(1, 8), percent(1, 0)], ['12.5 %', '-']);
});
