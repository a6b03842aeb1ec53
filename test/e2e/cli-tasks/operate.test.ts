// What whoever operates the service needs besides: notices, completion.
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Somebody who is notified: answers with these statuses, then with 200. */
async function receiver(...statuses: number[]) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

function writeSettings(dataDir: string, settings: object): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(settings))
}

describe('notify', () => {
  it('tests a target, lists what was not sent, shows what would be, and sends it again', async () => {
    const { cli, json, start, dataDir } = await serviceStage(() => message('ok'))
    const { bodies, url } = await receiver(200, 400)
    writeSettings(dataDir, { targets: { hook: `webhook:${url}` }, allowPrivate: true, notify: ['hook'] })
    expect(await cli(['notify', 'test', 'hook'])).toMatchObject({ code: 0, stderr: 'Sent.\n' })
    expect(JSON.parse(bodies[0]!)).toMatchObject({ cause: 'test' })
    expect(await cli(['notify', 'test', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody'),
    })

    const { id } = await start('go')
    await json('task', 'wait', id)
    let notices: Notice[] = []
    while (!notices.some(({ status }) => status === 'dead'))
      notices = await json<Notice[]>('notify', 'pending')
    expect(notices).toMatchObject([{ taskId: id, cause: 'ended', lastError: expect.stringContaining('400') }])
    expect((await cli(['notify', 'pending'])).stdout).toMatch(/dead/)
    const draft = await cli(['notify', 'dry-run', notices[0]!.id.slice(-8)])
    expect(draft).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/…\n/),
    })
    await json('notify', 'retry')
    while (notices.length > 0) notices = await json<Notice[]>('notify', 'pending')
    expect(bodies).toHaveLength(3)
  })
})

describe('completion', () => {
  it('completes commands, options and task ids in bash', async () => {
    const { cli, start, cwd, env } = await serviceStage(() => message('ok'))
    const script = (await cli(['completion', 'bash'])).stdout
    const program = path.join(cwd, 'drawbridge')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
    chmodSync(program, 0o755)
    const completed = (line: string) => {
      const words = line.split(' ')
      const setup = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
      const { stdout } = spawnSync(
        'bash',
        ['-c', `${script}\n${setup}; _drawbridge; printf '%s\\n' "\${COMPREPLY[@]}"`],
        {
          encoding: 'utf8',
          env: { ...process.env, ...env, PATH: `${cwd}:${process.env.PATH}` },
        },
      )
      return stdout.split('\n').filter((word) => word !== '')
    }
    expect(completed('drawbridge ta')).toEqual(['task'])
    expect(completed('drawbridge task re')).toEqual(['resume', 'rename', 'restore'])
    expect(completed('drawbridge task list --st')).toEqual(['--status'])
    expect(completed('drawbridge task show ')).toEqual([])
    const { id } = await start('go')
    const short = id.slice(-8)
    expect(completed('drawbridge task show ')).toEqual([short])
    expect(completed(`drawbridge task show ${short.slice(0, 2)}`)).toEqual([short])
    expect(completed(`drawbridge task show ${id.slice(0, 20)}`)).toEqual([id])
    expect(completed(`drawbridge audit --task ${short.slice(0, 5)}`)).toEqual([short])
  })

  it.each(['bash', 'zsh', 'fish'] as const)('prints a script that %s can read', async (shell) => {
    const { cli, cwd } = await serviceStage(() => message('ok'))
    const { code, stdout } = await cli(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('drawbridge __complete --')
    const file = path.join(cwd, 'completion')
    writeFileSync(file, stdout)
    const check = shell === 'fish' ? '--no-execute' : '-n'
    if (spawnSync(shell, ['--version']).error === undefined) execFileSync(shell, [check, file])
  })
})
