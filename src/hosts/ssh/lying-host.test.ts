// Hosts whose answers are not what our scripts print: a program in the place of ssh answers for them.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SshConnection } from './connection.ts'
import { lastLines } from './explain-failure.ts'
import { lookAtPaths } from './path-facts.ts'
import { RemoteServers } from './remote-servers.ts'
import { runScript, type ScriptEnd } from './run-script.ts'

function run(answer: string, timeoutMs = 20_000): Promise<ScriptEnd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-lying-host-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const ssh = path.join(folder, 'ssh')
  writeFileSync(ssh, `#!/bin/sh\n${answer}\n`)
  chmodSync(ssh, 0o755)
  const settings = { ssh, configFile: null, knownHostsFile: '', env: { PATH: process.env.PATH! } }
  return runScript({ text: 'tell a b', timeoutMs }, { host: 'box', controlPath: '/nowhere', settings })
}

/** A connection whose every script ends with this. */
function answering(...told: readonly string[]): SshConnection {
  const stdout = Buffer.from(told.map((each) => `${each}\0`).join(''))
  const connection = { run: async () => ({ status: 0, stdout, stderr: '' }), deadline: (ms: number) => ms }
  return connection as unknown as SshConnection
}

describe('a script on a host', () => {
  it('is given up when its output is endless, cut off, or not of it', async () => {
    await expect(run('exec yes')).rejects.toMatchObject({ code: 'host-shell-unusable' })
    await expect(run('exec cat /dev/urandom')).rejects.toMatchObject({ code: 'host-shell-unusable' })
    await expect(run('yes >&2', 500)).rejects.toMatchObject({ code: 'ssh-timed-out' })
    await expect(run('exec sleep 60', 200)).rejects.toMatchObject({ code: 'ssh-timed-out' })
    await expect(run('head -c 4096 /dev/urandom')).rejects.toMatchObject({ code: 'host-shell-unusable' })
    await expect(run('printf "Last login: today\\n"; exit 0')).rejects.toMatchObject({
      code: 'host-shell-unusable',
      hint: expect.stringContaining('needs a shell'),
    })
    // It knows the mark, since it was sent it, and stops in the middle.
    const half = `sed -n "s/^printf .*'\\(begin-[0-9a-f]*\\)'$/\\n\\1/p" | head -n 2`
    await expect(run(half)).rejects.toMatchObject({ code: 'ssh-cut' })
  })

  it('says why on one line, without what a terminal acts on', () => {
    const text = 'first\n\u001b]0;title\u0007\u001b[2Jcleared\r\nlast\u0000\u009b31m'
    expect(lastLines(text)).not.toMatch(/\p{Cc}/u)
    expect(lastLines(text)).toContain('last')
  })
})

describe('what a host says of its servers', () => {
  const server = ['kind=app-server', 'version=0.166.0', 'pid=7', 'listens=/tmp/s']
  const id = 'a'.repeat(32)

  it('counts only under ids of ours, which name files here', async () => {
    const names = ['/../../../x', '..', 'a/../../b', id.toUpperCase(), `${id}0`, '']
    const told = [...names, id].flatMap((name) => [`id=${name}`, ...server])
    const servers = new RemoteServers(answering(...told), { host: 'box', owner: 'us' })
    expect((await servers.list()).map((each) => each.id)).toEqual([id])
    const start = {
      ...{ id, kind: 'app-server' as const, settings: '', startedAt: '', args: [], env: {} },
      codex: { path: '/codex', version: '0.166.0' },
    } as const
    expect(await servers.start(start)).toMatchObject({ id, listens: '/tmp/s' })
    const other = new RemoteServers(answering('id=../x', ...server), { host: 'box', owner: 'us' })
    await expect(other.start(start)).rejects.toMatchObject({ code: 'host-command-failed' })
  })

  it('is nothing where it is junk', async () => {
    const junk = [
      'id',
      '=',
      `id=${id}`,
      'kind=shell',
      'pid=x',
      '\u0001\u00ff',
      `id=${id}`,
      ...server,
      'pid=1',
    ]
    const servers = new RemoteServers(answering(...junk), { host: 'box', owner: 'us' })
    expect(await servers.look()).toMatchObject({ alive: [{ id, pid: 7 }], dead: [], starting: [] })
  })
})

it('what a host says of paths is of as many as were asked for, absolute, and of kinds that are known', async () => {
  const nothing = { real: null, kind: null }
  const asked = ['/a', '/b']
  const look = (...told: string[]) => lookAtPaths(answering(...told), asked)
  expect(await look('real=/a', 'kind=file', 'real=/b', 'kind=folder')).toEqual([
    { real: '/a', kind: 'file' },
    { real: '/b', kind: 'folder' },
  ])
  expect(await look('real=/a', 'kind=file')).toEqual([nothing, nothing])
  expect(await look('real=/a', 'kind=file', 'real=/b', 'kind=file', 'real=/c')).toEqual([nothing, nothing])
  expect(await look('real=a', 'kind=root', 'other=/b', 'none=file')).toEqual([
    nothing,
    { real: null, kind: 'file' },
  ])
})
