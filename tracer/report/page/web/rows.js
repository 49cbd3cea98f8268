// SPDX-License-Identifier: BSD-3-Clause
// @ts-check
// Rows of slices: how they are stored in the page, and what is looked up and summed up in them.

/** @typedef {{begin: Float64Array, end: Float64Array, name: Uint32Array}} Row slices in order, apart from each other */

/** Whether it stands for what several slices do together: `tracer view` has such rows where single ones are too many. @param {any} slice */
export const isSum = ({row, index}) => row.exact === false || Boolean(row.count && row.count[index] > 1);

/** @param {string} base64 */
export function bytesOf(base64) {
  const binary = atob(base64.trim()), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Reads one integer after the other: seven bits a byte, the lowest first. @param {Uint8Array} bytes */
export function integersOf(bytes) {
  let at = 0;
  return () => {
    let value = 0, factor = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128; } while (byte & 128);
    return value;
  };
}

/**
 * Per slice: the gap since the end of the one before, the duration, the name, which counts from `firstName`.
 * @param {() => number} number
 * @param {number} count
 * @param {number} firstName
 * @returns {Row}
 */
export function decodeRow(number, count, firstName) {
  const row = {begin: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count)};
  let last = 0;
  for (let i = 0; i < count; ++i) {
    row.begin[i] = last + number();
    row.end[i] = last = row.begin[i] + number();
    row.name[i] = firstName + number();
  }
  return row;
}

/** First index whose value is greater than `t`; `from` is a lower bound that is known. @param {ArrayLike<number>} array @param {number} t */
export function above(array, t, from = 0) {
  let step = 1, low = from, high = from;
  while (high < array.length && array[high] <= t) { low = high + 1; high += step; step *= 2; }
  high = Math.min(high, array.length);
  while (low < high) { const mid = (low + high) >> 1; if (array[mid] <= t) low = mid + 1; else high = mid; }
  return low;
}

/** Whether something of what is between two times, in whatever order, is from `from` to `to`. @param {number} one @param {number} other @param {number} from @param {number} to */
export const crosses = (one, other, from, to) => Math.max(one, other) >= from && Math.min(one, other) <= to;

/**
 * Adds up what a lane did from `begin` to `end`, by name: time in the slices themselves, without those inside of them.
 * @param {Row[]} rows of one lane, outermost first
 * @param {number} begin
 * @param {number} end
 * @param {Map<number, {name: number, ns: number, count: number, longest: number}>} sums
 * @returns {number} all that was added
 */
export function addOwnTimes(rows, begin, end, sums) {
  let whole = 0;
  rows.forEach((row, depth) => {
    const inner = rows[depth + 1];
    let k = inner ? above(inner.end, begin) : 0;
    for (let i = above(row.end, begin); i < row.begin.length && row.begin[i] < end; ++i) {
      const from = Math.max(row.begin[i], begin), to = Math.min(row.end[i], end);
      let ns = to - from;
      while (inner && k < inner.begin.length && inner.begin[k] < to) {
        ns -= Math.max(0, Math.min(inner.end[k], to) - Math.max(inner.begin[k], from));
        if (inner.end[k] > to) break;
        ++k;
      }
      const sum = sums.get(row.name[i]) || {name: row.name[i], ns: 0, count: 0, longest: 0};
      sum.ns += Math.max(0, ns); ++sum.count; sum.longest = Math.max(sum.longest, to - from);
      whole += Math.max(0, ns);
      sums.set(row.name[i], sum);
    }
  });
  return whole;
}

/**
 * How much of a range the critical path spends in threads, and on how many of them.
 * @param {[number, number, number][]} path location, from, to
 * @param {number} begin
 * @param {number} end
 */
export function pathWithin(path, begin, end) {
  let ns = 0;
  const on = new Set();
  for (const [location, from, to] of path) {
    const part = Math.min(to, end) - Math.max(from, begin);
    if (part > 0) { ns += part; on.add(location); }
  }
  return {ns, threads: on.size};
}

/** Of a region's source, "solve.c:88, solve(int, double)", the function, whose name may have commas. @param {string} source */
export function functionIn(source) {
  const comma = source.indexOf(', ');
  return comma < 0 ? 'unknown' : source.slice(comma + 2);
}

/** Sums of `ns` and `count` of rows with the same key, largest first. @template T @param {(T & {ns: number, count: number})[]} rows @param {(row: T) => string} key */
export function sumBy(rows, key) {
  const sums = new Map();
  for (const row of rows) { const name = key(row), old = sums.get(name) || {name, ns: 0, count: 0}; old.ns += row.ns; old.count += row.count; sums.set(name, old); }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}

/**
 * What constructs of a comparison before are called after: those that moved.
 * @param {{name: string, was: string, count: {before: number}}[]} constructs
 * @returns {Map<string, string>} by name before; where one name is that of several constructs, their own
 */
export function namesAfter(constructs) {
  const names = new Map();
  for (const {name, was, count} of constructs) if (count.before) names.set(was, (names.get(was) ?? name) === name ? name : was);
  return names;
}

/**
 * By which regions of two traces are the same: the name after, with the function where a trace has several of that name.
 * @param {string[]} names of the first trace, behind these those of the second
 * @param {string[]} sources
 * @param {number} second index of its first
 * @param {Map<string, string>} after of namesAfter()
 */
export function comparedKeys(names, sources, second, after) {
  const called = names.map((name, i) => i < second ? after.get(name) ?? name : name), several = new Set(), seen = [new Set(), new Set()];
  called.forEach((name, i) => { const of = seen[i < second ? 0 : 1]; if (of.has(name)) several.add(name); of.add(name); });
  return called.map((name, i) => several.has(name) ? `${name}\n${functionIn(sources[i])}` : name);
}
