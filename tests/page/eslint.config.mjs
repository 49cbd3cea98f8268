// SPDX-License-Identifier: BSD-3-Clause
// What the linter looks at in the page's modules; tsc finds what is not defined or not used.
const markup = (name) => ({selector: `MemberExpression[property.name='${name}']`, message: `${name} makes markup of text: use tag() of dom.js`});
export default [{
  files: ['**/*.js'],
  languageOptions: {ecmaVersion: 2022, sourceType: 'module'},
  rules: {
    'array-callback-return': 'error', 'constructor-super': 'error', 'dot-notation': 'error', 'eqeqeq': ['error', 'always', {null: 'ignore'}], 'for-direction': 'error', 'getter-return': 'error',
    'no-cond-assign': 'error', 'no-const-assign': 'error', 'no-constant-condition': 'error', 'no-dupe-args': 'error', 'no-dupe-else-if': 'error', 'no-dupe-keys': 'error', 'no-duplicate-case': 'error', 'no-duplicate-imports': 'error',
    'no-empty': 'error', 'no-eval': 'error', 'no-fallthrough': 'error', 'no-func-assign': 'error', 'no-implied-eval': 'error', 'no-import-assign': 'error', 'no-inner-declarations': 'error', 'no-loss-of-precision': 'error', 'no-new-func': 'error',
    'no-redeclare': 'error', 'no-script-url': 'error', 'no-self-assign': 'error', 'no-self-compare': 'error', 'no-sparse-arrays': ['off'], 'no-unreachable': 'error', 'no-unsafe-finally': 'error', 'no-unsafe-negation': 'error', 'no-unused-expressions': ['error', {allowShortCircuit: true, allowTernary: true}],
    'no-unused-vars': ['error', {args: 'after-used', argsIgnorePattern: '^_'}], 'no-useless-escape': 'error', 'no-var': 'error', 'prefer-const': ['error', {destructuring: 'all'}], 'radix': 'error', 'semi': 'error', 'use-isnan': 'error', 'valid-typeof': 'error',
    'no-restricted-syntax': ['error', ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'createContextualFragment'].map(markup)],
  },
}];
