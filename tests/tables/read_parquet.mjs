// SPDX-License-Identifier: BSD-3-Clause
// node read_parquet.mjs MODULES FILE...: reads Parquet files with hyparquet, which shares no code with DuckDB, and
// prints {file: {rows, sums: {column: sum, or the number of different texts}}}.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(join(modules, 'x.js')).resolve(name)));
const { parquetReadObjects, asyncBufferFromFile } = await import(pathToFileURL(join(modules, 'node_modules/hyparquet/src/node.js')));
const { compressors } = await load('hyparquet-compressors');
const answer = {};
for (const file of files) {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors });
  const sums = {};
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') (sums[column] ??= new Set()).add(value);
      else sums[column] = (sums[column] ?? 0n) + BigInt(value);
    }
  }
  for (const column in sums) sums[column] = sums[column] instanceof Set ? sums[column].size : String(sums[column]);
  answer[file] = { rows: rows.length, sums };
}
console.log(JSON.stringify(answer));
