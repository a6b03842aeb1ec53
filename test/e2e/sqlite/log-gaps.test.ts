// Logs whose events have been deleted for their age, or with the items they belonged to.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { jsonLines } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('task logs --tail', () => {
  it('shows as many as were asked for, where their sequences have gaps', async () => {
    const { start, cli, json, dataDir } = await serviceStage(() => message('The answer.', { chunkSize: 2 }))
    const { id } = await start('go')
    await json('task', 'wait', id)
    expect(await cli(['stop', '--kill'])).toMatchObject({ code: 0 })
    const store = new DatabaseSync(path.join(dataDir, 'drawbridge.db'))
    store.exec('delete from events where seq % 3 = 0')
    store.close()
    const all = jsonLines((await cli(['task', 'logs', id, '--json'])).stdout)
    const last = jsonLines((await cli(['task', 'logs', id, '--json', '--tail', '6'])).stdout)
    expect(last).toEqual(all.slice(-6))
    expect(jsonLines((await cli(['task', 'logs', id, '-f', '--json', '--tail', '6'])).stdout)).toEqual(last)
  })
})
