// An import while the service works: open tasks get the servers, and an open question stays open.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { message, shell } from '../../../src/testing/index.ts'
import { realServer } from '../../support/config-stage.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('drawbridge config import beside a service', () => {
  it('reloads its codex and disturbs no open question', { timeout: 120_000 }, async () => {
    const stage = await serviceStage([
      [shell('touch made', { escalate: 'to make it' })],
      [message('made')],
      ...Array.from({ length: 20 }, () => [message('again')]),
    ])
    const task = await stage.start('go')
    const question = await stage.question()
    const home = path.join(stage.codexHome, 'user')
    mkdirSync(home)
    writeFileSync(
      path.join(home, '.claude.json'),
      JSON.stringify({ mcpServers: { asker: realServer({ MCP_LOG: '/dev/null' }) } }),
    )
    const args = ['config', 'import', '--from', 'claude-code', '--yes', '--json']
    const end = await stage.cli(args, { env: { HOME: home }, timeoutMs: 60_000 })
    expect(JSON.parse(end.stdout)).toMatchObject({
      errors: [],
      reloaded: 1,
      starts: [{ name: 'asker', isStarted: true }],
    })
    expect((await stage.question()).id).toBe(question.id)
    await stage.cli(['approve', question.id])
    expect(await stage.json('task', 'wait', task.id)).toMatchObject({ status: 'completed' })
    // A server that takes its time is missing from the first turn after the reload.
    const hasTools = async () => {
      await stage.cli(['task', 'send', task.id, 'once more'])
      await stage.json('task', 'wait', task.id)
      return JSON.stringify(stage.model.requests.at(-1)?.body).includes('mcp__asker')
    }
    await expect.poll(hasTools, { timeout: 60_000 }).toBe(true)
  })
})
