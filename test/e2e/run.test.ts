import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  applyPatch,
  httpError,
  lastUserText,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  message,
  shell,
  startScriptedModel,
  toolOutputs,
  usage,
} from '../../src/testing/index.ts'
import { jsonLines, runCli } from '../support/run-cli.ts'

async function scripted(script: ModelScript) {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  onTestFinished(async () => {
    await model.close()
    await Promise.all([home.remove(), workspace.remove()])
  })
  const env = { CODEX_HOME: home.path, DRAWBRIDGE_HOME: path.join(home.path, 'drawbridge') }
  return { model, cwd: workspace.path, env, options: { env, cwd: workspace.path } }
}

const patch = '*** Begin Patch\n*** Add File: made.txt\n+one\n+two\n*** End Patch\n'

describe('drawbridge run', () => {
  it('streams the answer to stdout and what Codex does to stderr', async () => {
    const { options, cwd } = await scripted([
      [shell('echo seen; exit 4')],
      [applyPatch(patch)],
      [message('All done.\nTruly.', { chunkSize: 3 }), usage({ input: 12, output: 5 })],
    ])
    const end = await runCli(['run', '--sandbox', 'workspace-write', 'go'], options)
    expect(end).toMatchObject({ code: 0, stdout: 'All done.\nTruly.\n' })
    expect(end.stderr).toContain('$ echo seen; exit 4\n  seen\n  exit 4')
    expect(end.stderr).toContain('\n± add made.txt +2\n')
    expect(end.stderr).toMatch(/\d+ tokens in, \d+ out · continue with --resume [0-9a-f-]{36}/)
    expect(end.stderr).not.toContain('\u001b')
    expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe('one\ntwo\n')
  })

  it('prints JSON lines only, codex verbatim, and the result last', async () => {
    const { options } = await scripted([[message('{"n":1}'), usage({ input: 7, output: 3 })]])
    const { code, stdout } = await runCli(['run', '--json', 'go'], options)
    const lines = jsonLines(stdout)
    expect(code).toBe(0)
    const thread = lines.find(({ type }) => type === 'thread')
    expect(thread).toMatchObject({
      type: 'thread',
      approvalPolicy: 'on-request',
      sandbox: { type: 'readOnly' },
    })
    expect(lines.filter(({ type }) => type === 'codex').map(({ method }) => method)).toEqual(
      expect.arrayContaining(['turn/started', 'item/agentMessage/delta', 'turn/completed']),
    )
    expect(lines.at(-1)).toEqual({
      type: 'result',
      status: 'completed',
      text: '{"n":1}',
      threadId: thread?.threadId,
      turnId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      usage: expect.objectContaining({ inputTokens: 7, outputTokens: 3 }),
      error: null,
    })
  })

  it('takes the prompt from stdin, an image, a schema, a model and an effort', async () => {
    const { options, cwd, model } = await scripted([[message('{}')]])
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    writeFileSync(path.join(cwd, 'dot.png'), Buffer.from(png, 'base64'))
    writeFileSync(
      path.join(cwd, 'schema.json'),
      '{"type":"object","properties":{},"additionalProperties":false}',
    )
    const flags = [
      '--image',
      'dot.png',
      '--output-schema',
      'schema.json',
      '--model',
      'other',
      '--effort',
      'high',
    ]
    const end = await runCli(['run', ...flags, '-'], { ...options, stdin: 'from the pipe' })
    expect(end).toMatchObject({ code: 0, stdout: '{}\n' })
    const [request] = model.requests
    expect(lastUserText(request!)).toContain('from the pipe')
    expect(request?.body).toMatchObject({ model: 'other', text: { format: { type: 'json_schema' } } })
    expect(JSON.stringify(request?.body)).toContain('data:image/png')
  })

  it('continues a thread with --resume', async () => {
    const { options, model } = await scripted([[message('one')], [message('two')]])
    const first = jsonLines((await runCli(['run', '--json', 'a'], options)).stdout).at(-1)
    const second = await runCli(['run', '--json', '--resume', String(first?.threadId), 'b'], options)
    expect(jsonLines(second.stdout).at(-1)).toMatchObject({
      status: 'completed',
      text: 'two',
      threadId: first?.threadId,
    })
    expect(JSON.stringify(model.requests[1]?.body)).toContain('"one"')
  })

  it('declines what Codex asks, shows it, and exits 3', async () => {
    const script: ModelScript = (request) =>
      toolOutputs(request).length > 0 ? [message('ok then')] : [shell('touch made', { escalate: 'because' })]
    const { options, cwd } = await scripted(script)
    const end = await runCli(['run', 'go'], options)
    expect(end).toMatchObject({ code: 3, stdout: 'ok then\n' })
    expect(end.stderr).toMatch(/✋ declined: run .*touch made.*\(because\)/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    const lines = jsonLines((await runCli(['run', '--json', 'go'], options)).stdout)
    expect(lines.find(({ type }) => type === 'decision')).toMatchObject({
      answer: 'deny',
      by: 'default',
      method: 'item/commandExecution/requestApproval',
      what: expect.stringContaining('touch made'),
    })
  })

  it('says why a turn failed and exits 1', async () => {
    const { options } = await scripted([[httpError(401, 'who are you?')]])
    const end = await runCli(['run', 'go'], options)
    expect(end.code).toBe(1)
    expect(end.stderr).toMatch(/failed: .*401.* \[auth\]/)
  })

  it('cuts control characters from what the model and commands say', async () => {
    const { options } = await scripted([[message('a\u001b[31mb\u0007c\u009bd')]])
    expect((await runCli(['run', 'go'], options)).stdout).toBe('abcd\n')
  })

  it.each([
    [['run', ''], 'the prompt is empty'],
    [['run', '--cwd', 'nowhere', 'x'], 'no such folder'],
    [['run', '--image', 'nothing.png', 'x'], 'no such file'],
    [['run', '--timeout', 'soon', 'x'], 'not a number of seconds'],
    [['run', '--output-schema', 'README.md', 'x'], 'is not JSON'],
    [['run', '--sandbox', 'danger-full-access', 'x'], 'Allowed choices are read-only, workspace-write'],
    [['run', '--approve', 'everything', 'x'], 'Allowed choices are ask-all, read-only, workspace, trusted'],
    [['run', '--rule', 'allow all', 'x'], "--rule 'allow all': say what it is about"],
    [['run', '--nonsense'], "unknown option '--nonsense'"],
    [['walk'], "unknown command 'walk'"],
  ])('refuses %j with exit code 2 and says why', async (args, why) => {
    const end = await runCli(args)
    expect(end.code).toBe(2)
    expect(end.stderr).toContain(why)
    expect(end.stdout).toBe('')
  })

  it('teaches with --help', async () => {
    const end = await runCli(['run', '--help'])
    expect(end.code).toBe(0)
    for (const part of ['Examples:', '--output-schema', '--yes-full-access', 'Exit codes:', '124'])
      expect(end.stdout).toContain(part)
  })
})
