// The doctor of the service, as `drawbridge serve` composes it, on the real codex.
import { expect, it } from 'vitest'
import { connect, readToken } from '../../../src/api/index.ts'
import { message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { processesTagged } from '../../faults/processes.ts'
import { serviceStage } from '../../support/service-stage.ts'

it('finds what is well and what is not, once for all who ask, and no task notices', async () => {
  const stage = await serviceStage((request) =>
    toolOutputs(request).length > 0
      ? message('Done.')
      : shell('echo hi > asked.txt', { escalate: 'to write' }),
  )
  const { id } = await stage.start('write')
  const client = connect({ url: stage.record().url, token: readToken(stage.dataDir)! })
  expect(await client.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'waiting' })
  const [report, again] = await Promise.all([client.doctor(), client.doctor()])
  expect(again).toEqual(report)
  const { ok, codexHome, dataFolder, checkedAt } = report
  expect({ ok, codexHome, dataFolder }).toEqual({
    ok: true,
    codexHome: stage.env.CODEX_HOME,
    dataFolder: stage.dataDir,
  })
  expect(Math.abs(Date.now() - checkedAt)).toBeLessThan(60_000)
  const found = Object.fromEntries(report.checks.map(({ id: name, status }) => [name, status]))
  expect(found).toMatchObject({ codex: 'ok', handshake: 'ok', login: 'ok', sandbox: 'ok' })
  // Its codex is gone; that of the task is not.
  expect(processesTagged(stage.tag).filter((line) => line.includes('app-server'))).toHaveLength(1)
  const [question] = (await client.approvals({ status: 'pending' })).items
  await client.answer(question!.id, { answer: 'once' })
  expect(await client.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
})
