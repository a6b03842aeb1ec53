import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MESSY_CONFIG } from '../fixtures/messy-config.ts'
import { applyImport } from './apply-import.ts'
import { changeConfig, undoConfig } from './change-config.ts'

const at = (home: string) => ({
  what: 'config import',
  now: Date.UTC(2026, 0, 2),
  backups: `${home}-backups`,
})
const undoIn = (home: string) => undoConfig(home, at(home))
/** Of all changes that can be taken back. */
const backupsOf = (home: string) => {
  const [folder] = readdirSync(`${home}-backups`)
  return readdirSync(path.join(`${home}-backups`, folder!)).map((name) =>
    path.join(`${home}-backups`, folder!, name),
  )
}
const LOCK = '.config.toml.drawbridge-lock'

function scratchHome(text: string | null = null): { home: string; file: string } {
  const home = mkdtempSync(path.join(tmpdir(), 'config-'))
  onTestFinished(() => {
    for (const each of [home, `${home}-backups`]) rmSync(each, { recursive: true, force: true })
  })
  const file = path.join(home, 'config.toml')
  if (text !== null) writeFileSync(file, text)
  return { home, file }
}

const importing =
  (name: string, command = 'c') =>
  (now: string | null) =>
    applyImport(now ?? '', {
      from: new Set([name]),
      permissions: null,
      servers: new Map([[name, { from: name, table: { command } }]]),
      plugins: new Map(),
      hasPlugins: false,
    }).text

const importInto = (home: string, name: string, command?: string) =>
  changeConfig(home, { 'config.toml': importing(name, command) }, at(home))

describe('a change of config.toml', () => {
  it('keeps the mode, makes a new file private, and leaves nothing else behind', () => {
    const { home, file } = scratchHome('a = 1\n')
    chmodSync(file, 0o640)
    importInto(home, 's')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const fresh = scratchHome()
    importInto(fresh.home, 's')
    expect(statSync(fresh.file).mode & 0o777).toBe(0o600)
    expect(readdirSync(fresh.home)).toEqual(['config.toml'])
    expect(backupsOf(fresh.home).map((file) => statSync(file).mode & 0o777)).toEqual([0o600])
    expect(statSync(`${fresh.home}-backups`).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['a file', true],
    ['nothing yet', false],
  ])('writes through symlinks to %s', (_, isThere) => {
    const { home, file } = scratchHome()
    const real = path.join(home, 'dotfiles', 'codex.toml')
    mkdirSync(path.dirname(real))
    if (isThere) writeFileSync(real, 'a = 1\n')
    symlinkSync('second', file)
    symlinkSync(path.join('dotfiles', 'codex.toml'), path.join(home, 'second'))
    importInto(home, 's')
    expect([lstatSync(file).isSymbolicLink(), readlinkSync(file)]).toEqual([true, 'second'])
    expect(readFileSync(real, 'utf8')).toContain('[mcp_servers.s]')
    undoIn(home)
    expect(existsSync(real) ? readFileSync(real, 'utf8') : null).toBe(isThere ? 'a = 1\n' : null)
  })

  it('is refused for a symlink in a circle, a folder, and bytes that are not text', () => {
    const circle = scratchHome()
    symlinkSync('config.toml', circle.file)
    expect(() => importInto(circle.home, 's')).toThrow(/leads round in a circle/)
    const folder = scratchHome()
    mkdirSync(folder.file)
    expect(() => importInto(folder.home, 's')).toThrow(/is not a regular file: it is left alone/)
    const bytes = scratchHome()
    writeFileSync(bytes.file, Buffer.from([0x61, 0x3d, 0xff, 0xfe]))
    expect(() => importInto(bytes.home, 's')).toThrow(/is not UTF-8: it is left alone/)
    expect(readFileSync(bytes.file)).toEqual(Buffer.from([0x61, 0x3d, 0xff, 0xfe]))
  })

  it('that fails leaves the file, and no lock, draft or backup', () => {
    const { home, file } = scratchHome('a = = 1\n')
    expect(() => importInto(home, 's')).toThrow(/config\.toml:1:5/)
    expect(readFileSync(file, 'utf8')).toBe('a = = 1\n')
    expect(readdirSync(home)).toEqual(['config.toml'])
  })

  it('keeps what another program writes while it is being made', () => {
    const { home, file } = scratchHome('a = 1\n')
    let isFirst = true
    const change = (now: string | null) => {
      if (isFirst) writeFileSync(file, 'a = 1\nb = 2\n')
      isFirst = false
      return importing('s')(now)
    }
    changeConfig(home, { 'config.toml': change }, at(home))
    expect(parse(readFileSync(file, 'utf8'))).toEqual({ a: 1, b: 2, mcp_servers: { s: { command: 'c' } } })
    undoIn(home)
    expect(readFileSync(file, 'utf8')).toBe('a = 1\nb = 2\n')
  })

  it('waits for no dead owner of the lock, nor for a process that only has its number', () => {
    const { home } = scratchHome('a = 1\n')
    writeFileSync(path.join(home, LOCK), JSON.stringify({ pid: 2 ** 22 + 5 }))
    importInto(home, 's')
    writeFileSync(path.join(home, LOCK), JSON.stringify({ pid: process.pid, start: 'another boot 17' }))
    importInto(home, 't')
    expect(readdirSync(home)).not.toContain(LOCK)
  })
})

describe('undo', () => {
  it('gives back every byte, change by change', () => {
    const { home, file } = scratchHome(MESSY_CONFIG)
    importInto(home, 'one')
    const between = readFileSync(file, 'utf8')
    importInto(home, 'two')
    expect(undoIn(home)).toMatchObject({ what: 'config import', hasKeptOthers: false })
    expect(readFileSync(file, 'utf8')).toBe(between)
    undoIn(home)
    expect(readFileSync(file, 'utf8')).toBe(MESSY_CONFIG)
    expect(() => undoIn(home)).toThrow(expect.objectContaining({ code: 'nothing-to-undo' }))
  })

  it('removes a file that was not there', () => {
    const { home, file } = scratchHome()
    importInto(home, 's')
    undoIn(home)
    expect(existsSync(file)).toBe(false)
  })

  it('keeps what was changed elsewhere since, also under an earlier block', () => {
    const { home, file } = scratchHome('a = 1\n[t]\nb = 2\n')
    importInto(home, 'one')
    importInto(home, 'two')
    writeFileSync(file, readFileSync(file, 'utf8').replace('a = 1', 'a = 7'))
    expect(undoIn(home).hasKeptOthers).toBe(true)
    expect(parse(readFileSync(file, 'utf8'))).toEqual({
      a: 7,
      mcp_servers: { one: { command: 'c' } },
      t: { b: 2 },
    })
    undoIn(home)
    expect(readFileSync(file, 'utf8')).toBe('a = 7\n[t]\nb = 2\n')
  })

  it('refuses when what it would take back was edited', () => {
    const { home, file } = scratchHome('a = 1\n')
    importInto(home, 's')
    const edited = readFileSync(file, 'utf8').replace('"c"', '"edited"')
    writeFileSync(file, edited)
    expect(() => undoIn(home)).toThrow(expect.objectContaining({ code: 'config-changed' }))
    expect(readFileSync(file, 'utf8')).toBe(edited)
  })

  it('of an import keeps what Codex wrote into the block since', () => {
    const { home, file } = scratchHome('a = 1\n')
    importInto(home, 's')
    const project = '[projects."/x"]\ntrust_level = "trusted"\n'
    writeFileSync(file, readFileSync(file, 'utf8').replace('# <<<', `\n${project}# <<<`))
    expect(undoIn(home).hasKeptOthers).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe(`a = 1\n\n${project}`)
  })

  /** As `config set` does: another program has changed the file already. */
  const recordSet = (home: string, before: string, after: string) =>
    changeConfig(
      home,
      { 'config.toml': (now) => now },
      { ...at(home), written: { 'config.toml': { before, after } } },
    )
  const MODEL = 'model = "m"\n\n[t]\na = 1\nb = 1\n\n[u]\na = 1\nb = 1\n'

  it.each([
    ['a changed key', MODEL.replace('"m"', '"n"')],
    ['a new key', `effort = "high"\n${MODEL}`],
    [
      'a key that was taken out of one of two like tables',
      MODEL.replace('a = 1\nb = 1\n\n[u]', 'b = 1\n\n[u]'),
    ],
    ['a new table at the end', `${MODEL}\n[v]\nx = 1\n`],
  ])('of %s keeps what was written elsewhere, before and after it was recorded', (_, after) => {
    const { home, file } = scratchHome(`${after}\n[first]\nx = 1\n`)
    recordSet(home, MODEL, after)
    writeFileSync(file, `# top\n${readFileSync(file, 'utf8')}\n[second]\nx = 2\n`)
    expect(undoIn(home).hasKeptOthers).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe(`# top\n${MODEL}\n[first]\nx = 1\n\n[second]\nx = 2\n`)
  })

  it.each([
    ['the same key', MODEL.replace('"m"', '"n"'), '"n"', '"o"'],
    ['a table that it made', `${MODEL}[v]\nx = 1\n`, 'x = 1\n', 'x = 1\ny = 2\n'],
  ])('refuses when %s was changed since', (_, after, from, to) => {
    const { home, file } = scratchHome(after)
    recordSet(home, MODEL, after)
    writeFileSync(file, after.replace(from, to))
    expect(() => undoIn(home)).toThrow(expect.objectContaining({ code: 'config-changed' }))
    expect(readFileSync(file, 'utf8')).toBe(after.replace(from, to))
  })

  it('takes back other files with it, or nothing when one of them was changed', () => {
    const { home, file } = scratchHome('a = 1\n')
    const rules = path.join(home, 'rules', 'x.rules')
    const both = () =>
      changeConfig(home, { 'config.toml': importing('s'), 'rules/x.rules': () => 'r\n' }, at(home))
    both()
    undoIn(home)
    expect([readFileSync(file, 'utf8'), existsSync(rules)]).toEqual(['a = 1\n', false])
    both()
    writeFileSync(rules, 'mine\n')
    const before = readFileSync(file, 'utf8')
    expect(() => undoIn(home)).toThrow(/x\.rules was changed since/)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('keeps a limited number of changes', () => {
    const { home } = scratchHome('a = 1\n')
    for (let index = 0; index < 30; index++) importInto(home, 's', `c${index}`)
    expect(backupsOf(home)).toHaveLength(20)
  })
})

const WRITER = fileURLToPath(new URL('../fixtures/writer.ts', import.meta.url))

/** Waiting to begin. */
async function writer(home: string, name: string, times: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WRITER, home, name, String(times)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout! }), 'line')
  return child
}

describe('many processes', () => {
  it('lose nothing: 20 write at once', { timeout: 120_000 }, async () => {
    const { home, file } = scratchHome(MESSY_CONFIG)
    const writers = await Promise.all(Array.from({ length: 20 }, (_, index) => writer(home, `w${index}`, 1)))
    const ends = writers.map((child) => once(child, 'exit'))
    for (const child of writers) child.stdin!.end()
    for (const end of await Promise.all(ends)) expect(end).toEqual([0, null])
    const servers = (parse(readFileSync(file, 'utf8')) as { mcp_servers: object }).mcp_servers
    const expected = writers.map((_, index) => `w${index}-0`)
    expect(Object.keys(servers)).toEqual(expect.arrayContaining(expected))
    expect(readdirSync(home)).toEqual(['config.toml'])
  })

  it('leave the old or the new file when they are killed, and the next one goes on', {
    timeout: 120_000,
  }, async () => {
    const { home, file } = scratchHome(MESSY_CONFIG)
    for (let round = 0; round < 8; round++) {
      const child = await writer(home, `k${round}`, 500)
      const lines = createInterface({ input: child.stdout! })
      child.stdin!.end()
      await once(lines, 'line')
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      expect(await ended).toEqual([null, 'SIGKILL'])
      const whole = readFileSync(file, 'utf8')
      expect(whole.endsWith('# the end')).toBe(true)
      expect(Object.keys(parse(whole).mcp_servers as object)).toContain(`k${round}-0`)
    }
    importInto(home, 'last')
    expect(Object.keys(parse(readFileSync(file, 'utf8')).mcp_servers as object)).toContain('last')
  })
})
