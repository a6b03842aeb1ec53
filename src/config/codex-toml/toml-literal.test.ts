import { expect, it } from 'vitest'
import { tomlLiteral } from './toml-literal.ts'

it.each([
  ['3', 3],
  ['[1, 2]', [1, 2]],
  ['gpt-5.5', 'gpt-5.5'],
  ['"nan"', 'nan'],
  ['2026-01-02', '2026-01-02'],
])('takes %s as %j', (written, value) => expect(tomlLiteral(written)).toEqual(value))

it.each([
  'nan',
  'inf',
  '-inf',
  '[1, nan]',
  '{ a = { b = inf } }',
  '9007199254740993',
  '[1, -9007199254740993]',
])('refuses %s, which JSON has not', (written) =>
  expect(() => tomlLiteral(written)).toThrow(/cannot be set through Codex/),
)
