import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Host, Task } from '../../../src/api/index.ts'
import { makeCodexHome, message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

it('a task runs on the CODEX_HOME of whoever starts it, and one home has one app-server', async () => {
  const { cli, model, env, dataDir, json } = await serviceStage(() => message('ok'))
  await using other = await makeCodexHome(model)
  const link = path.join(dataDir, '..', 'link')
  symlinkSync(other.path, link)
  const homeOf = async (args: readonly string[], codexHome: string) => {
    const { code, stdout } = await cli(['task', 'start', 'go', '--json', ...args], {
      env: { CODEX_HOME: codexHome },
    })
    expect(code).toBe(0)
    const { id, codexHome: used } = JSON.parse(stdout) as Task
    await json('task', 'wait', id)
    return used
  }
  expect(await homeOf([], env.CODEX_HOME)).toBeNull()
  expect(await homeOf([], other.path)).toBe(other.path)
  expect(await homeOf([], link)).toBe(other.path)
  expect(await homeOf(['--codex-home', `${other.path}/`], env.CODEX_HOME)).toBe(other.path)
  const { appServers } = await json<Host>('status')
  expect(appServers.map(({ key }) => key.codexHome)).toEqual([null, other.path])
  expect(await cli(['task', 'start', 'go'], { env: { CODEX_HOME: '/no/such' } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('drawbridge: CODEX_HOME: there is no folder /no/such'),
  })
})
