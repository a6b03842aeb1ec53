// `drawbridge notify`: what is said of notices that nobody got, that wait, and that were sent.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** A webhook that always answers with this status. */
async function hook(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `webhook:http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

function writeSettings(dataDir: string, settings: object): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(settings))
}

describe('a notice that had nobody to go to', () => {
  it('is listed as such, and is not said to be sent, again or ever', async () => {
    const { cli, json, start } = await serviceStage(() => message('ok'))
    await json('task', 'wait', (await start('go')).id)
    const [notice] = await json<Notice[]>('notify', 'list')
    expect(notice).toMatchObject({ status: 'no_target' })
    const short = notice!.id.slice(-8)
    const listed = await cli(['notify', 'list', '--status', 'no_target'])
    expect(listed.stdout).toMatch(new RegExp(`\\n${short}  no_target +\\d+s ago +0 +– +– +\\S`))
    expect(await cli(['notify', 'pending'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Nothing waits to be sent\.\nSome had nobody to go to: .*no_target\n$/),
    })
    for (const act of ['retry', 'dry-run'])
      expect(await cli(['notify', act, short])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^drawbridge: notice \w{8} has nobody to go to\. Name a target .*\n$/),
      })
    expect(await cli(['notify', 'retry'])).toMatchObject({
      stderr: 'None was given up: there is nothing to send again.\n',
    })
    expect(await json('notify', 'list', '--status', 'sent')).toEqual([])
  })
})

describe('a notice to somebody', () => {
  it('tells when the next try is while it waits', async () => {
    const { cli, json, start, dataDir } = await serviceStage(() => message('ok'))
    writeSettings(dataDir, { notify: ['busy'], targets: { busy: await hook(503) }, allowPrivate: true })
    await json('task', 'wait', (await start('go')).id)
    let pending: Notice[] = []
    while (pending[0]?.attempts !== 1) pending = await json<Notice[]>('notify', 'pending')
    const { stdout } = await cli(['notify', 'pending'])
    expect(stdout).toMatch(/^ID +STATUS +CREATED +TRIES +NEXT TRY +TARGET +WHAT\n/)
    expect(stdout).toMatch(/pending +\d+s ago +1 +in \d+[sm] +busy +.*503/)
  })

  it('is listed once it is sent, newest first, and is not sent twice', async () => {
    const { cli, json, start, dataDir } = await serviceStage(() => message('ok'))
    writeSettings(dataDir, { notify: ['up'], targets: { up: await hook(200) }, allowPrivate: true })
    for (const prompt of ['first', 'second']) await json('task', 'wait', (await start(prompt)).id)
    let sent: Notice[] = []
    while (sent.length < 2) sent = await json<Notice[]>('notify', 'list', '--status', 'sent')
    expect(sent.map(({ title }) => title)).toEqual([
      expect.stringContaining('second'),
      expect.stringContaining('first'),
    ])
    const page = await cli(['notify', 'list', '--limit', '1'])
    expect(page.stdout).toContain('second')
    expect(page.stdout).not.toContain('first')
    expect(page.stderr).toBe('There are more: --limit 2\n')
    expect(await cli(['notify', 'retry', sent[0]!.id.slice(-8)])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was sent at \d\d:\d\d: nothing is sent twice\n$/),
    })
    expect(await cli(['notify', 'pending'])).toMatchObject({ stderr: 'Nothing waits to be sent.\n' })
  })
})
