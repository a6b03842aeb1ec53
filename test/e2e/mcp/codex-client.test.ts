// Codex as client of Drawbridge, which runs Codex: a task starts another through our tools and gets its answer.
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { freePort } from '../../support/free-port.ts'
import { namedToken } from '../../support/mcp-clients.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'

const OURS = { namespace: 'mcp__drawbridge' }

/** Hands its work on, waits for it, and repeats the answer; the other task gives it. */
function handOn(request: ModelRequest, cwd: string) {
  if (lastUserText(request).startsWith('inner')) return message('The inner answer.')
  const outputs = toolOutputs(request)
  const last = outputs.at(-1)?.text ?? ''
  if (outputs.length === 0)
    return functionCall('task_start', { prompt: 'inner work', cwd, clientRequestId: 'one' }, OURS)
  const [state] = /\{"taskId".*\}/.exec(last) ?? ['{}']
  const { taskId, status, cursor } = JSON.parse(state)
  if (taskId !== undefined && status !== 'completed')
    return functionCall('task_wait', { taskId, cursor, maxWaitS: 20 }, OURS)
  return message(`Outer got: ${last}`)
}

it.each(['stdio', 'http'] as const)(
  'codex calls our tools over %s, and its task is the parent',
  async (way) => {
    let cwd = ''
    const stage = await serviceStage((request) => handOn(request, cwd))
    cwd = stage.cwd
    const port = await freePort()
    stage.env.DRAWBRIDGE_PORT = String(port)
    const { secret } = await namedToken(stage, { name: 'codex' })
    const server =
      way === 'stdio'
        ? [
            `command = ${JSON.stringify(process.execPath)}`,
            `args = ${JSON.stringify([PROGRAM, 'mcp', '--as', 'codex'])}`,
            `env = { DRAWBRIDGE_HOME = ${JSON.stringify(stage.dataDir)} }`,
          ]
        : [`url = "http://127.0.0.1:${port}/mcp"`, `http_headers = { Authorization = "Bearer ${secret}" }`]
    const entry = [
      '[mcp_servers.drawbridge]',
      ...server,
      'required = true',
      'default_tools_approval_mode = "approve"',
    ]
    appendFileSync(path.join(stage.codexHome, 'config.toml'), `\n${entry.join('\n')}\n`)
    const { id } = await stage.start('outer work')
    const end = await stage.cli(['task', 'wait', id], { timeoutMs: 55_000 })
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('Outer got: ') })
    expect(end.stdout).toContain('answer:\nThe inner answer.')
    const tasks = await stage.json<Task[]>('task', 'list')
    const inner = tasks.find(({ prompt }) => prompt === 'inner work')
    expect(inner).toMatchObject({ status: 'completed', parent: id, depth: 1, createdBy: { name: 'codex' } })
    expect(tasks).toHaveLength(2)
  },
)
