import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Incident } from '../../src/codex/index.ts'
import { applyPatch, httpError, message, reasoning, shell, usage } from '../../src/testing/index.ts'
import type { Subject } from './conformance.ts'
import { runTurn } from './run-turn.ts'

export function turnsConform({ version, expected, open }: Subject): void {
  describe('a turn', () => {
    it('follows a handshake that tells the version', async () => {
      const { codex, home } = await open([])
      expect(codex.codexVersion).toBe(version)
      expect(codex.userAgent).toMatch(`drawbridge/${version} `)
      expect(codex.codexHome).toBe(home.path)
    })

    it('streams its text and completes with it', async () => {
      const text = 'The bridge is down — “ça va” 😀. '.repeat(5)
      const { codex, cwd } = await open([[message(text, { chunkSize: 7 })]])
      const thread = await codex.startThread({ cwd })
      const { turn, all, of, outcome } = await runTurn(thread, 'hello')
      const deltas = of('item/agentMessage/delta').map(({ params }) => params.delta)
      expect(deltas.length).toBeGreaterThan(10)
      expect(deltas.join('')).toBe(text)
      expect(outcome).toMatchObject({ status: 'completed', text, threadId: thread.id, turnId: turn.id })
      expect(all.map(({ emittedAtMs }) => typeof emittedAtMs === 'number')).toEqual(
        all.map(() => expected.stampsNotifications),
      )
      expect(all.at(-1)).toMatchObject({ method: 'turn/completed', params: { turn: { id: turn.id } } })
      expect(of('turn/completed')[0]?.params.turn.items).toHaveLength(expected.repeatedItems)
    })

    it('says what it used, itself and not the turns before it', async () => {
      const { codex, cwd } = await open([
        [message('one'), usage({ input: 1_000, cached: 400, output: 100, reasoning: 50 })],
        [shell('true'), usage({ input: 10, output: 1 })],
        [message('two'), usage({ input: 20, output: 2 })],
      ])
      const thread = await codex.startThread({ cwd })
      expect((await runTurn(thread, 'first')).outcome.usage).toMatchObject({
        totalTokens: 1_100,
        inputTokens: 1_000,
        cachedInputTokens: 400,
        outputTokens: 100,
        reasoningOutputTokens: 50,
      })
      const second = await runTurn(thread, 'second')
      const [update] = second.of('thread/tokenUsage/updated')
      expect(update?.params.tokenUsage.total.totalTokens).toBe(expected.repeatsUsage ? 1_100 : 1_111)
      expect(second.outcome.usage).toMatchObject({ inputTokens: 30, outputTokens: 3, totalTokens: 33 })
    })

    it('shows reasoning, commands with output and exit code, and file changes', async () => {
      const patch = '*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch\n'
      const { codex, cwd } = await open([
        // Versions up to 0.142 can miss what a command says before they listen, and after it has ended.
        [reasoning('I shall look.'), shell('sleep 0.3; echo out; sleep 0.3; exit 3')],
        [applyPatch(patch)],
        [message('done')],
      ])
      const { items, of, outcome } = await runTurn(
        await codex.startThread({ cwd, sandbox: 'workspace-write' }),
        'go',
      )
      expect(outcome).toMatchObject({ status: 'completed', text: 'done' })
      const started = of('item/started').map(({ params }) => params.item.id)
      const completed = items().map(({ id }) => id)
      if (expected.endsLate) expect(completed.toSorted()).toEqual(started.toSorted())
      else expect(completed).toEqual(started)
      const asStarted = items().toSorted((a, b) => started.indexOf(a.id) - started.indexOf(b.id))
      expect(asStarted).toMatchObject([
        { type: 'userMessage', content: [{ type: 'text', text: 'go' }] },
        { type: 'reasoning', summary: ['I shall look.'] },
        { type: 'commandExecution', exitCode: 3, aggregatedOutput: 'out\n', status: 'failed' },
        { type: 'fileChange', status: 'completed', changes: [{ kind: { type: 'add' }, diff: 'one\n' }] },
        { type: 'agentMessage', text: 'done' },
      ])
      expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe('one\n')
    })

    it('answers in the shape of an output schema', async () => {
      const outputSchema = {
        type: 'object',
        properties: { colour: { type: 'string' } },
        required: ['colour'],
        additionalProperties: false,
      }
      const { codex, cwd, model } = await open([[message('{"colour":"red"}')]])
      const { outcome } = await runTurn(await codex.startThread({ cwd }), 'a colour', { outputSchema })
      expect(outcome).toMatchObject({ status: 'completed', text: '{"colour":"red"}' })
      expect(model.requests[0]?.body).toMatchObject({
        text: { format: { type: 'json_schema', schema: outputSchema } },
      })
    })

    it('fails when the model refuses, and the thread goes on', async () => {
      const { codex, cwd } = await open([[httpError(401, 'no')], [message('back')]])
      const thread = await codex.startThread({ cwd })
      const { outcome } = await runTurn(thread, 'hi')
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'auth', message: expect.stringContaining('401') },
      })
      expect((await runTurn(thread, 'again')).outcome).toMatchObject({ status: 'completed', text: 'back' })
    })

    it('is followed by nineteen more on the same thread', async () => {
      const incidents: Incident[] = []
      const { codex, cwd } = await open(
        Array.from({ length: 20 }, (_, index) => [message(`answer ${index}`)]),
        {
          client: { onIncident: (incident) => incidents.push(incident) },
        },
      )
      const thread = await codex.startThread({ cwd })
      for (let index = 0; index < 20; index++) {
        const { outcome } = await runTurn(thread, `question ${index}`)
        expect(outcome).toMatchObject({ status: 'completed', text: `answer ${index}` })
      }
      expect(incidents).toEqual([])
    })
  })
}
