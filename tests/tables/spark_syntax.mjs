// SPDX-License-Identifier: BSD-3-Clause
// node spark_syntax.mjs MODULES FILE.sql ...: what Spark's grammar has against each, as an array of texts in a line.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, ...files] = process.argv.slice(2);
// The package imports folders and leaves endings out, as bundlers take it.
const hooks = `export async function resolve(name, context, next) {
  for (const end of ['', '.js']) try { return await next(name + end, context); } catch { }
  return next(name + '/index.js', context);
}`;
register('data:text/javascript,' + encodeURIComponent(hooks));
const { SparkSQL } = await import(pathToFileURL(createRequire(join(modules, 'x.js')).resolve('dt-sql-parser')));
for (const file of files)
  console.log(JSON.stringify(new SparkSQL().validate(readFileSync(file, 'utf8')).map((fault) => `line ${fault.startLine}: ${fault.message}`)));
