// SPDX-License-Identifier: BSD-3-Clause
// node duckdb.mjs TABLES [QUERY.sql ...]: asks DuckDB the questions of this directory (or others) of a trace's tables.
//   npm install @duckdb/node-api
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const here = dirname(new URL(import.meta.url).pathname);
const [tables, ...queries] = process.argv.slice(2);
if (!tables || !existsSync(join(tables, 'locations.parquet'))) {
  console.error('usage: node duckdb.mjs TABLES [QUERY.sql ...], of: tracer export --format parquet -o TABLES TRACE');
  process.exit(2);
}
const { DuckDBInstance } = createRequire(join(process.cwd(), 'x.js'))('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
for (const name of ['regions', 'events', 'tasks', 'dependences', 'locks', 'teams', 'messages', 'device_operations', 'metrics'])
  await connection.run(`CREATE VIEW ${name} AS FROM read_parquet(${quoted(join(tables, '*', name + '-*.parquet'))})`);
for (const name of ['samples', 'pauses', 'sampled_values'])  // not in tables of older versions
  await connection.run(`CREATE VIEW ${name} AS FROM read_parquet(${quoted(join(tables, '*', name + '-*.parquet'))})`).catch(() => {});
for (const name of ['locations', 'processes', 'region_names', 'metric_names', 'phases', 'properties'])
  if (existsSync(join(tables, name + '.parquet'))) await connection.run(`CREATE VIEW ${name} AS FROM read_parquet(${quoted(join(tables, name + '.parquet'))})`);

for (const query of queries.length ? queries : ['waiting', 'barriers', 'tasks', 'messages'].map((q) => join(here, q + '.sql'))) {
  const result = await connection.runAndReadAll(readFileSync(query, 'utf8'));
  if (process.env.AS_JSON) {
    console.log(JSON.stringify(result.getRowObjectsJson()));
    continue;
  }
  console.log(`\n${query}`);
  const rows = [result.columnNames(), ...result.getRowsJson().map((row) => row.map((v) => String(v ?? '')))];
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  for (const row of rows) console.log(row.map((v, c) => (/^-?[\d.]+$/.test(v) ? v.padStart(widths[c]) : v.padEnd(widths[c]))).join('  ').trimEnd());
}
