// A turn of a codex here whose commands run on a host.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeCodexHome, message, shell, startScriptedModel, toolOutputs } from '../../../src/testing/index.ts'
import { bundledCodex, RawCodex } from '../../support/raw-codex.ts'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { masterPid } from '../../support/ssh/leftovers.ts'
import { openHost } from '../../support/ssh/open-host.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'

it('goes on when ssh is killed under a command that runs', async () => {
  const stage = await sshStage()
  const { host, dataDir } = openHost(stage, {
    spec: { codexPath: stage.codexPath },
    options: { times: { retryBaseMs: 50 } },
  })
  const { url, token } = await host.execServer({ version: codexVersionHere() })
  const command = 'echo begun > begun; until [ -e go ]; do sleep 0.1; done; echo "ran in $PWD"'
  const model = await startScriptedModel([
    [shell(command, { arguments: { yield_time_ms: 20_000 } })],
    [message('done')],
  ])
  const home = await makeCodexHome(model)
  const codex = new RawCodex(bundledCodex(), { env: { CODEX_HOME: home.path } })
  onTestFinished(async () => {
    await codex.close()
    await Promise.all([home.remove(), model.close()])
  })
  await codex.request('initialize', {
    clientInfo: { name: 'raw', version: '0' },
    capabilities: { experimentalApi: true },
  })
  const added = await codex.request('environment/add', {
    environmentId: 'far',
    execServerUrl: url,
    authBearerToken: token,
  })
  expect(added.error).toBeUndefined()
  const threadId = await codex.startThread({
    cwd: stage.home,
    sandbox: 'workspace-write',
    approvalPolicy: 'never',
    environments: [{ environmentId: 'far', cwd: stage.home }],
  })
  const turn = codex.turn(threadId, 'go', 45_000)
  await expect.poll(() => existsSync(path.join(stage.homeHere, 'begun'))).toBe(true)
  const states: string[] = []
  host.onState(({ status }) => states.push(status))
  process.kill(masterPid(dataDir), 'SIGKILL')
  await expect.poll(() => states).toEqual(['retrying', 'connecting', 'connected'])
  writeFileSync(path.join(stage.homeHere, 'go'), '')
  expect(await turn).toMatchObject({ status: 'completed' })
  expect(JSON.stringify(model.requests.map(toolOutputs))).toContain(`ran in ${stage.home}`)
})
