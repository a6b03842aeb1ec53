import { describe, expect, it } from 'vitest'
import { checkConfig, type StrictComplaint } from './index.ts'
import { blanked, keyAt } from './key-at.ts'
import { nearestName } from './nearest-name.ts'

const TEXT = `modle = "x"
[features]
shel_snapshot = true
plugins = { a = 1, bad = 2, c = 3 }
[mcp_servers."a.b"]
comand = "x"
list = [{ ok = 1, nope = 2 }]
[nosuch.table]
x = """
y"""
z = 1
`

describe('a key by line and column', () => {
  it.each([
    [1, 1, ['modle']],
    [1, 9, ['modle']],
    [3, 1, ['features', 'shel_snapshot']],
    [4, 20, ['features', 'plugins', 'bad']],
    [6, 1, ['mcp_servers', 'a.b', 'comand']],
    [7, 19, ['mcp_servers', 'a.b', 'list', 'nope']],
    [8, 2, ['nosuch']],
    [8, 9, ['nosuch', 'table']],
    [10, 1, ['nosuch', 'table', 'x']],
  ])('%i:%i is %j', (line, column, path) => {
    expect(keyAt(TEXT, line, column)?.path).toEqual(path)
  })

  it('is blanked out with everything else in its place', () => {
    const rest = blanked(TEXT, keyAt(TEXT, 4, 20)!)
    expect(rest.split('\n')[3]).toBe('plugins = { a = 1,          c = 3 }')
    expect(
      blanked(rest, keyAt(rest, 8, 9)!)
        .split('\n')
        .slice(7),
    ).toEqual(['              ', '       ', '    ', '     ', ''])
    const last = 'a = { b = 1, c = 2 }'
    expect(blanked(last, keyAt(last, 1, 14)!)).toBe('a = { b = 1        }')
  })
})

describe('the nearest name', () => {
  it.each([
    ['modle', 'model'],
    ['sandbox-mode', 'sandbox_mode'],
    ['aproval_policy', 'approval_policy'],
    ['MODEL', 'model'],
    ['zzz', null],
  ])('of %s is %s', (name, near) => {
    expect(nearestName(name, ['model', 'sandbox_mode', 'approval_policy', 'model_provider'])).toBe(near)
  })
})

describe('a check', () => {
  it('asks again until nothing is left, and tells what was meant', async () => {
    const complaints: StrictComplaint[] = [
      { line: 1, column: 1, detail: 'unknown configuration field `modle`' },
      { line: 3, column: 1, detail: 'unknown configuration field `features.shel_snapshot`' },
      { line: 6, column: 1, detail: 'unknown configuration field `mcp_servers.a.b.comand`' },
    ]
    const asked: string[] = []
    const strict = async (text: string) => {
      asked.push(text)
      return complaints[asked.length - 1] ?? null
    }
    const { problems, isCut } = await checkConfig(`\uFEFF${TEXT}`, { strict, features: ['shell_snapshot'] })
    expect(isCut).toBe(false)
    expect(problems.map(({ suggestion }) => suggestion)).toEqual(['model', 'shell_snapshot', 'command'])
    expect(asked.at(-1)).not.toMatch(/modle|shel_|comand/)
  })

  it('ends when codex complains of nothing it can take away, and of too much', async () => {
    const nowhere = async () => ({ line: null, column: null, detail: 'no' })
    expect(await checkConfig('a = 1', { strict: nowhere, features: [] })).toMatchObject({
      isCut: true,
      problems: [{}],
    })
    const always = async () => ({ line: 1, column: 1, detail: 'no' })
    expect(await checkConfig('a = 1', { strict: always, features: [] })).toMatchObject({ isCut: true })
    expect(await checkConfig('a = = 1', { strict: always, features: [] })).toMatchObject({
      isCut: true,
      problems: [{}],
    })
  })
})
