// SPDX-License-Identifier: BSD-3-Clause
// What the bundle relies on: bundle.cmake puts all modules into one scope, and takes away lines that begin with "import".
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';

const report = new URL('../../tracer/report/page/web/', import.meta.url), view = new URL('../../tracer/view/web/', import.meta.url);
const namesIn = (folder) => readdirSync(folder).filter((name) => name.endsWith('.js'));
const listIn = (file, name) => readFileSync(file, 'utf8').match(new RegExp(`\\(${name} ([\\w ]+)\\)`))[1].split(' ').map((one) => one + '.js');
const own = namesIn(view);
/** The report's page, and the viewer's, whose own modules take the places of those of the same name. */
const pages = {
  report: {listed: listIn(new URL('bundle.cmake', report), 'TRACER_PAGE_MODULES'), files: namesIn(report), folderOf: () => report},
  view: {listed: listIn(new URL('../CMakeLists.txt', view), 'view_modules'), files: own, folderOf: (name) => own.includes(name) ? view : report},
};

for (const [page, {listed, files: inFolder, folderOf}] of Object.entries(pages)) {
const text = (name) => readFileSync(new URL(name, folderOf(name)), 'utf8'), files = listed;

test(`${page}: each module is in the bundle once`, () => {
  assert.equal(new Set(listed).size, listed.length);
  for (const file of inFolder) assert.ok(listed.includes(file), file);
  if (page === 'report') assert.deepEqual([...listed].sort(), [...inFolder].sort());
});
test(`${page}: each module is checked for types`, () => { for (const file of files) assert.match(text(file), /^\/\/ SPDX[^\n]*\n\/\/ @ts-check\n/, file); });
test(`${page}: names at the top of modules are different`, () => {
  const home = new Map();
  for (const file of files) {
    for (const [, first, rest] of text(file).matchAll(/^(?:export )?(?:const|let|(?:async )?function) ([\w$]+)((?:.*?(?<=, )[\w$]+ = )*)/gm)) {
      for (const name of [first, ...(rest.match(/(?<=, )[\w$]+(?= = )/g) || [])]) {
        assert.equal(home.get(name), undefined, `${name} is in ${home.get(name)} and ${file}`);
        if (name === first) home.set(name, file);
      }
    }
  }
  assert.ok(home.size > 100);
});
test(`${page}: imports are lines of their own, from modules that are there, of names that they export`, () => {
  for (const file of files) {
    for (const line of text(file).split('\n')) {
      if (!/^\s*import\b/.test(line)) continue;
      const [, names, from] = line.match(/^import \{([\w$, ]+)\} from '\.\/(\w+\.js)';$/) || assert.fail(`${file}: ${line}`);
      for (const name of names.split(', ')) assert.match(text(from), new RegExp(`^export (?:const|let|(?:async )?function) (?:.*, )?${name.replace('$', '\\$')}\\b|^export (?:const|let) \\${name} `, 'm'), `${file}: ${name} of ${from}`);
    }
  }
});
test(`${page}: nothing makes markup of text, and the script does not end early`, () => {
  for (const file of files) assert.doesNotMatch(text(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|<\/script/, file);
});
}
