// Compiled, never run: what a program that uses the package writes, with the types it relies on.
import {
  type Codex,
  createRedactor,
  defineTool,
  hasCode,
  openCodex,
  registerSecrets,
  type TurnOutcome,
  toFailure,
} from 'codex-drawbridge'
import { connect } from 'codex-drawbridge/api'
import { localHost, webSocketHost } from 'codex-drawbridge/hosts'
import type { TaskStatus } from 'codex-drawbridge/tasks'
import { makeCodexHome, startScriptedModel } from 'codex-drawbridge/testing'
import { z } from 'zod'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isExactly<Expected>() {
  return <Given>(_value: Given, _isSame: Same<Given, Expected>) => {}
}

const Verdict = z.object({ verdict: z.enum(['good', 'bad']), why: z.string().optional() })

const tools = [
  defineTool({
    name: 'weather',
    description: 'by a zod schema',
    input: z.object({ city: z.string(), days: z.number().optional() }),
    handler(input) {
      isExactly<{ city: string; days?: number | undefined }>()(input, true)
      return input.city
    },
  }),
  defineTool({
    name: 'tides',
    description: 'by a JSON Schema written in place',
    input: {
      type: 'object',
      properties: {
        port: { type: 'string' },
        unit: { enum: ['m', 'ft'] },
        hours: { type: 'array', items: { type: 'integer' } },
      },
      required: ['port'],
    },
    handler: (input, { signal }) => {
      isExactly<{ port: string; unit?: 'm' | 'ft'; hours?: number[] }>()(input, true)
      return signal.aborted ? '' : input.port
    },
  }),
]

export async function main(): Promise<string> {
  createRedactor({ secrets: [process.env.API_KEY] })
  registerSecrets([process.env.API_KEY, 'other'])
  const codex: Codex = await openCodex(localHost(), { experimental: true })
  const thread = await codex.startThread({ cwd: process.cwd(), tools })
  const turn = await thread.startTurn('Judge it', { outputSchema: z.toJSONSchema(Verdict) })
  // @ts-expect-error: the zod schema itself is no JSON Schema
  await thread.startTurn('Judge it', { outputSchema: Verdict })
  for await (const { method } of turn) console.log(method)
  return told(await turn.outcome)
}

function told(outcome: TurnOutcome): string {
  switch (outcome.status) {
    case 'completed':
      return outcome.output && 'value' in outcome.output
        ? Verdict.parse(outcome.output.value).verdict
        : outcome.text
    case 'detached':
      return outcome.threadId
    case 'interrupted':
      return outcome.by
    case 'timed-out':
      return String(outcome.timeoutMs)
    case 'failed':
    case 'lost':
      return outcome.error.hint
  }
}

export async function others(error: unknown): Promise<unknown[]> {
  if (hasCode(error, 'rpc-error')) isExactly<number>()(error.rpcCode, true)
  if (hasCode(error, 'nothing-to-resume')) isExactly<'nothing-to-resume'>()(error.code, true)
  const status: TaskStatus = 'queued'
  const model = await startScriptedModel([])
  return [
    toFailure(error).resetAt,
    webSocketHost({ socketPath: '/s' }),
    connect,
    makeCodexHome(model),
    status,
  ]
}
