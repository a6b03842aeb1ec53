// The MCP Inspector in CLI mode: what people who write and check MCP servers look at them with.
import { beforeAll, expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { INSTALL_TIMEOUT_MS, inspect, installInspector } from '../../support/inspector.ts'
import { namedToken } from '../../support/mcp-clients.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'

interface Listed {
  readonly tools: readonly { readonly name: string; readonly inputSchema: { readonly type: string } }[]
}

interface Called {
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
}

beforeAll(installInspector, INSTALL_TIMEOUT_MS)

it.each(['stdio', 'http'] as const)('the Inspector lists and calls the tools over %s', async (transport) => {
  const stage = await serviceStage(() => message('Looked.'))
  const token = await namedToken(stage, { name: 'inspector', may: ['read', 'start'] })
  const environment = Object.entries(stage.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const target =
    transport === 'stdio'
      ? [...environment, process.execPath, PROGRAM, 'mcp', '--as', token.name]
      : [new URL('/mcp', stage.record().url).href, '--header', `Authorization: Bearer ${token.secret}`]
  const ask = <T>(...args: string[]) => inspect<T>([...target, ...args], { cwd: stage.cwd })
  const call = async (name: string, ...args: string[]) => {
    const given = args.flatMap((arg) => ['--tool-arg', arg])
    return ask<Called>('--method', 'tools/call', '--tool-name', name, ...given)
  }

  // Strict: it fails where a schema has an error that keeps some client from using the tool.
  const { tools } = await ask<Listed>('--method', 'tools/list', '--strict')
  expect(tools).toHaveLength(12)
  expect(tools[0]).toMatchObject({ name: 'task_start', inputSchema: { type: 'object' } })

  const started = await call('task_start', 'prompt=look', `cwd=${stage.cwd}`)
  expect(started.isError).not.toBe(true)
  const { taskId } = JSON.parse(started.content[0]!.text.split('\n', 1)[0]!) as { taskId: string }
  const done = await call('task_wait', `taskId=${taskId}`, 'cursor=0', 'maxWaitS=40')
  expect(done.content[0]!.text).toContain('answer:\nLooked.')
})
