// What the system refuses and what was given wrongly: one line that says what to do, never a trace.
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { PROGRAM } from '../../support/program.ts'
import type { CliEnd } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'

const ok = () => message('ok')

function oneLine(end: CliEnd): string {
  expect(end.stdout).toBe('')
  expect(end.stderr).toMatch(/^drawbridge: .*\n$/)
  return end.stderr
}

async function busyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}

describe('serve', () => {
  it('says which port is taken', async () => {
    const { cli } = await serviceStage(ok)
    const port = await busyPort()
    const end = await cli(['serve', '--port', String(port)])
    expect(end.code).toBe(1)
    expect(oneLine(end)).toContain(`port ${port} of 127.0.0.1 is taken: choose another with --port`)
  })

  it('says that an address is not of this machine', async () => {
    const { cli } = await serviceStage(ok)
    const end = await cli(['serve', '--host', '192.0.2.1', '--insecure'])
    expect(end.code).toBe(2)
    expect(oneLine(end)).toContain('does not have the address 192.0.2.1: choose another with --host')
  })

  it('refuses what is no certificate, and a key of another one', async () => {
    const { cli, cwd } = await serviceStage(ok)
    const pair = (name: string) => {
      const [cert, key] = [path.join(cwd, `${name}.crt`), path.join(cwd, `${name}.key`)]
      const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes', '-newkey', 'rsa:2048']
      execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
      return { cert, key }
    }
    const [one, other] = [pair('one'), pair('other')]
    const empty = path.join(cwd, 'empty')
    writeFileSync(empty, '')
    for (const [cert, key, says] of [
      [path.join(cwd, 'nowhere'), one.key, '--tls-cert: there is no '],
      [empty, one.key, 'are not a certificate and its key'],
      [one.cert, other.key, 'is the key of another certificate'],
    ] as const) {
      const end = await cli(['serve', '--tls-cert', cert, '--tls-key', key])
      expect(end.code).toBe(2)
      expect(oneLine(end)).toContain(says)
    }
  })

  it('answers under the names of --allow-host, and says so to others', async () => {
    const { cli, record } = await serviceStage(ok)
    expect(await cli(['serve', '--allow-host', 'https://bridge.example'])).toMatchObject({ code: 2 })
    await cli(['serve', '--allow-host', 'bridge.example', '--allow-host', 'other.example'], {
      whileRunning: async (child) => {
        await once(child.stdout!, 'readable')
        const asked = async (host: string) => {
          const sent = request(`${record().url}/healthz`, { headers: { host } }).end()
          const [response] = (await once(sent, 'response')) as [IncomingMessage]
          return [response.statusCode, await text(response)] as const
        }
        expect((await asked('bridge.example'))[0]).toBe(200)
        expect((await asked('other.example:80'))[0]).toBe(200)
        const [status, refusal] = await asked('evil.example')
        expect(status).toBe(421)
        expect(refusal).toContain('start it with --allow-host <name>')
        child.kill('SIGTERM')
      },
    })
  })
})

describe('a data folder that is a file', () => {
  it('is told as such, whatever the command', async () => {
    const { cli, cwd } = await serviceStage(ok)
    const file = path.join(cwd, 'file')
    writeFileSync(file, '')
    for (const args of [['db', 'check'], ['status'], ['task', 'list'], ['serve']]) {
      const end = await cli([...args, '--data-dir', file])
      expect(end.code).toBe(2)
      expect(oneLine(end)).toContain(`the data folder ${file} is a file: choose another with --data-dir`)
    }
    const below = await cli(['db', 'check', '--data-dir', path.join(file, 'below')])
    expect(below.code).toBe(2)
    expect(oneLine(below)).toContain(`would be in a file, ${file}`)
  })
})

describe('a codex home that is not there', () => {
  it('is refused and not made', async () => {
    const { cli, cwd } = await serviceStage(ok)
    const home = path.join(cwd, 'no', 'home')
    for (const args of [
      ['run', '--codex-home', home, 'go'],
      ['task', 'start', '--codex-home', home, 'go'],
    ]) {
      const { code, stderr } = await cli(args)
      expect(code).toBe(2)
      expect(stderr).toContain(
        `--codex-home: there is no folder ${home}; \`drawbridge login --codex-home ${home}\` makes it`,
      )
    }
    expect(existsSync(path.dirname(home))).toBe(false)
  })

  it('is used where it is, also by a relative path', async () => {
    const { json, cwd } = await serviceStage(ok)
    mkdirSync(path.join(cwd, 'home'))
    const task = await json<Task>('task', 'start', '--codex-home', 'home', '--codex', './codex', 'go')
    expect(task).toMatchObject({
      codexHome: path.join(cwd, 'home'),
      codexPath: path.join(cwd, 'codex'),
    })
  })
})

describe('a codex that is missing', () => {
  it('is exit code 5 for whoever waits for a task, too, and named as it was given', async () => {
    const { cli, start } = await serviceStage(ok)
    const waited = await cli(['task', 'start', '--codex', '/nope', '--wait', 'go'])
    expect(waited.code).toBe(5)
    expect(waited.stderr).toContain('there is no codex at /nope, which --codex')
    expect(waited.stderr).toContain('\n→ install it with `npm install -g @openai/codex`')
    const { id } = await start('go', '--codex', '/nope')
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 5 })
    expect(await cli(['run', '--codex', '/nope', 'go'])).toMatchObject({ code: 5 })
  })
})

describe('a current folder that was deleted', () => {
  it('is told as such', async () => {
    const { env } = await serviceStage(ok)
    const main = PROGRAM
    const script = 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$0" "$1" task start x'
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, main], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'drawbridge: the current folder does not exist any more: cd to another\n',
    })
  })
})

describe('values that the service does not take', () => {
  it('are told in plain words', async () => {
    const { cli } = await serviceStage(ok)
    await cli(['task', 'list'])
    for (const [flags, says] of [
      [['--title', '', 'go'], 'title must not be empty'],
      [['--key', '', 'go'], 'idempotency-key must not be empty'],
    ] as const) {
      const end = await cli(['task', 'start', ...flags])
      expect(end.code).toBe(2)
      expect(oneLine(end)).toBe(`drawbridge: ${says}\n`)
    }
    const long = await cli(['task', 'start', '-'], { stdin: 'x'.repeat(1_048_577) })
    expect(long.code).toBe(2)
    expect(oneLine(long)).toBe('drawbridge: prompt is too long: at most 1,048,576 characters\n')
  })
})

describe('an option that does not exist', () => {
  it('is a mistake like all others', async () => {
    const { cli } = await serviceStage(ok)
    expect(await cli(['task', 'list', '--nope'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "drawbridge: unknown option '--nope'\nTry --help for what there is and examples.\n",
    })
  })
})

describe('labels', () => {
  it('with commas are several, when a task is started as when it is looked for', async () => {
    const { start, json } = await serviceStage(ok)
    const { id, labels } = await start('go', '--label', 'a, b', '--label', 'c')
    expect(labels).toEqual(['a', 'b', 'c'])
    for (const given of [['a,b'], ['a', '--label', 'c']])
      expect(await json<Task[]>('task', 'list', '--label', ...given)).toMatchObject([{ id }])
    expect(await json('task', 'list', '--label', 'a,d')).toEqual([])
  })
})

describe('rules', () => {
  it('that say nothing are refused in plain words, before anything is started', async () => {
    const { cli, dataDir } = await serviceStage(ok)
    const empty = await cli(['rules', 'add', ''])
    expect(empty.code).toBe(2)
    expect(oneLine(empty)).toContain('the rule is empty: write one like "allow command git status"')
    const odd = await cli(['rules', 'add', 'perhaps git'])
    expect(odd.code).toBe(2)
    expect(oneLine(odd)).toContain("the rule 'perhaps git' cannot be read: ")
    expect(await cli(['rules', 'check', ' '])).toMatchObject({ code: 2 })
    expect(existsSync(dataDir)).toBe(false)
  })

  it('that stand are told by their text', async () => {
    const { cli, json } = await serviceStage(ok)
    const { id } = await json<{ id: string }>('rules', 'add', 'allow command touch made')
    const { stdout } = await cli(['rules', 'check', 'touch made'])
    expect(stdout).toBe(
      '✓ allow  touch made\n         allow command touch made\nallow, outside the sandbox: rule "allow command touch made" allows `touch made` outside the sandbox\n',
    )
    expect((await cli(['rules', 'list'])).stdout).toMatch(/SANDBOX.*\n.* outside +allow command touch made/)
    expect(await json('rules', 'list')).toMatchObject([{ id, reach: 'outside' }])
    expect(await json('rules', 'check', 'touch made')).toMatchObject({
      sandbox: 'outside',
      rule: { id, text: 'allow command touch made' },
    })
  })
})

describe('a service that is stopped', () => {
  it('by --kill with nothing to kill ends without a complaint', async () => {
    const { cli } = await serviceStage(ok)
    await cli(['task', 'list'])
    expect(await cli(['stop', '--kill'])).toMatchObject({ code: 0, stderr: 'Stopped.\n' })
  })
})
