import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { localCodex } from './local-codex.ts'
import { profileConfig, protectionFor, whyUnprotected } from './protection.ts'
import { realPath } from './real-path.ts'

const { scratchFolder } = scratch(onTestFinished)

/** A home with a login, and a data folder. */
function places(more: readonly string[] = []) {
  const root = realPath(scratchFolder())!
  const codexHome = path.join(root, 'home')
  const dataDir = path.join(root, 'data')
  for (const folder of [codexHome, dataDir]) mkdirSync(folder)
  writeFileSync(path.join(codexHome, 'auth.json'), '{}')
  return { codexHome, dataDir, more, socketFolder: null, root }
}

/** Those below the folder; others belong to whoever runs the tests. */
function deniedIn(root: string, at: Parameters<typeof protectionFor>[1], version = '0.166.0') {
  return protectionFor(version, at)!.paths.filter((place) => place.startsWith(`${root}/`))
}

const LINUX = { platform: 'linux' } as const

describe('protection', () => {
  it('is for what is there, once', () => {
    const at = places()
    const { root, codexHome, dataDir } = at
    const token = path.join(dataDir, 'token')
    writeFileSync(token, 'x')
    symlinkSync(path.join(codexHome, 'auth.json'), path.join(root, 'link'))
    const more = [token, path.join(root, 'missing'), path.join(root, 'link')]
    expect(deniedIn(root, { ...at, ...LINUX, more })).toEqual([dataDir, path.join(codexHome, 'auth.json')])
    mkdirSync(path.join(codexHome, 'sessions'))
    expect(deniedIn(root, { ...at, ...LINUX })).toEqual([
      dataDir,
      path.join(codexHome, 'auth.json'),
      path.join(codexHome, 'sessions'),
    ])
  })

  it('takes the nearest folder that codex cannot read as a pattern', () => {
    for (const name of ['a*', 'b?', 'c[1]', '{d,e}']) {
      const at = places()
      const odd = path.join(at.root, 'plain', name)
      mkdirSync(odd, { recursive: true })
      writeFileSync(path.join(odd, 'login'), 'x')
      expect(deniedIn(at.root, { ...at, ...LINUX, more: [path.join(odd, 'login')] })).toContain(
        path.join(at.root, 'plain'),
      )
    }
  })

  it('takes the folder of a socket in a temp folder, which could be renamed', async () => {
    const at = places()
    const temp = mkdtempSync(path.join(realPath(tmpdir())!, 'protection-'))
    onTestFinished(() => rmSync(temp, { recursive: true }))
    const socket = path.join(temp, 'agent', 'socket')
    mkdirSync(path.dirname(socket))
    const server = createServer().listen(socket)
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const denied = deniedIn(temp, { ...at, ...LINUX, more: [socket] })
    expect(denied).toEqual([path.dirname(socket)])
  })

  it('is none where an approved command would gain nothing, nor on Windows', () => {
    const at = places()
    const dialectOf = (version: string, platform: NodeJS.Platform = 'linux') =>
      protectionFor(version, { ...at, platform })?.dialect ?? null
    expect(
      ['0.125.0', '0.130.0', '0.131.0', '0.160.0', '0.161.0'].map((version) => dialectOf(version)),
    ).toEqual(['legacy', 'legacy', null, null, 'modern'])
    expect(dialectOf('0.166.0', 'win32')).toBeNull()
  })

  it('no longer holds when a login has come or gone', () => {
    const at = places()
    const { codexHome } = at
    const protection = protectionFor('0.166.0', { ...at, ...LINUX })!
    expect(whyUnprotected(protection, at)).toBeNull()
    writeFileSync(path.join(at.dataDir, 'new'), 'in a folder that is denied')
    mkdirSync(path.join(codexHome, 'sessions')) // of codex's own making: no reason to end it
    expect(whyUnprotected(protection, at)).toBeNull()
    const late = path.join(codexHome, '.credentials.json')
    writeFileSync(late, '{}')
    expect(whyUnprotected(protection, at)).toBe(`${late} is there now, and its commands could read it`)
    rmSync(late)
    const login = path.join(codexHome, 'auth.json')
    renameSync(login, path.join(codexHome, 'elsewhere'))
    expect(whyUnprotected(protection, at)).toBe(`${login}, which it was told to protect, is gone`)
  })

  it('has one name for the same paths, and another for others', () => {
    const at = places()
    const profile = () => protectionFor('0.166.0', { ...at, ...LINUX })!.profile
    const before = profile()
    expect(profile()).toBe(before)
    writeFileSync(path.join(at.codexHome, '.credentials.json'), '{}')
    expect(profile()).not.toBe(before)
  })
})

it('is for the default home when CODEX_HOME is empty', () => {
  const home = path.join(realPath(scratchFolder())!, '.codex')
  mkdirSync(home)
  writeFileSync(path.join(home, 'auth.json'), '{}')
  const codex = localCodex({ env: { HOME: path.dirname(home), CODEX_HOME: '' }, registryDir: null })
  expect(codex.settings.env).not.toHaveProperty('CODEX_HOME')
  const suitable = { path: '/nowhere/codex', version: '0.166.0' } as Parameters<typeof codex.protection>[0]
  expect(codex.protection(suitable, { socketFolder: null })!.paths).toContain(path.join(home, 'auth.json'))
})

it('is told in the words of the version', () => {
  const known = { profile: 'p', paths: ['/a "b"'], tempFolders: [] }
  expect(profileConfig({ ...known, dialect: 'modern' })).toEqual({
    'permissions.p-ro': '{extends=":read-only",filesystem={"/a \\"b\\""="deny"},network={enabled=false}}',
    'permissions.p-rw': '{extends=":workspace",filesystem={"/a \\"b\\""="deny"},network={enabled=false}}',
    'permissions.p-ro-net': '{extends=":read-only",filesystem={"/a \\"b\\""="deny"},network={enabled=true}}',
    'permissions.p-rw-net': '{extends=":workspace",filesystem={"/a \\"b\\""="deny"},network={enabled=true}}',
    default_permissions: '"p-ro"',
  })
  expect(profileConfig({ ...known, dialect: 'legacy' })['permissions.p-rw']).toBe(
    '{filesystem={":root"="read",":project_roots"={"."="write"},":tmpdir"="write","/tmp"="write","/a \\"b\\""="none"},network={enabled=false}}',
  )
})
