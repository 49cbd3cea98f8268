// SPDX-License-Identifier: BSD-3-Clause
// What the bundle relies on: bundle.cmake puts all modules into one scope, and takes away lines that begin with "import".
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';

const folder = new URL('../../tracer/report/page/web/', import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), 'utf8');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const listed = text('bundle.cmake').match(/TRACER_PAGE_MODULES ([\w ]+)\)/)[1].split(' ').map((name) => name + '.js');

test('each module is in the bundle once', () => assert.deepEqual([...listed].sort(), files.sort()));
test('each module is checked for types', () => { for (const file of files) assert.match(text(file), /^\/\/ SPDX[^\n]*\n\/\/ @ts-check\n/, file); });
test('names at the top of modules are different', () => {
  const home = new Map();
  for (const file of files) {
    for (const [, first, rest] of text(file).matchAll(/^(?:export )?(?:const|let|function) ([\w$]+)((?:.*?(?<=, )[\w$]+ = )*)/gm)) {
      for (const name of [first, ...(rest.match(/(?<=, )[\w$]+(?= = )/g) || [])]) {
        assert.equal(home.get(name), undefined, `${name} is in ${home.get(name)} and ${file}`);
        if (name === first) home.set(name, file);
      }
    }
  }
  assert.ok(home.size > 100);
});
test('imports are lines of their own, from modules that are there, of names that they export', () => {
  for (const file of files) {
    for (const line of text(file).split('\n')) {
      if (!/^\s*import\b/.test(line)) continue;
      const [, names, from] = line.match(/^import \{([\w$, ]+)\} from '\.\/(\w+\.js)';$/) || assert.fail(`${file}: ${line}`);
      for (const name of names.split(', ')) assert.match(text(from), new RegExp(`^export (?:const|let|function) (?:.*, )?${name.replace('$', '\\$')}\\b|^export (?:const|let) \\${name} `, 'm'), `${file}: ${name} of ${from}`);
    }
  }
});
test('nothing makes markup of text, and the script does not end early', () => {
  for (const file of files) assert.doesNotMatch(text(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|<\/script/, file);
});
