// A model that fails: what codex tries again is progress; what ends the turn is an error, told once.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { cutStream, httpError, lastUserText, type ModelRequest, message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const FAULTS = {
  'break off': [message('half'), cutStream(3)],
  'be overloaded': httpError(500, { error: { message: 'scripted trouble' } }),
  refuse: httpError(400, { error: { message: 'scripted refusal' } }),
}
type Fault = keyof typeof FAULTS

const asked = new Set<string>()
let waiting = Promise.withResolvers<void>()

/** Fails at the first call of a task, or at all; and works at the second, when it is let. */
async function script(request: ModelRequest) {
  const [fault, isForEver] = lastUserText(request).split(' for ever') as [Fault, string?]
  if (isForEver !== undefined || fault === 'refuse' || !asked.has(fault)) {
    asked.add(fault)
    return FAULTS[fault]
  }
  await waiting.promise
  return message('whole at last')
}

const config = { 'model_providers.scripted.stream_max_retries': 2 }
const stage = consoleStage(script, { home: { config } })

async function openTask(prompt: string) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt, cwd })
  const page = await stage.open(`/tasks/${id}`)
  return { page, transcript: page.getByRole('region', { name: 'Transcript' }) }
}

const alerts = (page: Page) => page.getByRole('alert').count()

describe('a model that fails', () => {
  it.each(['break off', 'be overloaded'] as const)('once, to %s, is tried again: progress', async (fault) => {
    waiting = Promise.withResolvers()
    const { page, transcript } = await openTask(fault)
    await transcript.getByText('Trying again after an error').waitFor()
    expect(await alerts(page)).toBe(0)
    waiting.resolve()
    await transcript.getByText('whole at last').waitFor()
    await transcript.getByText('Turn done').waitFor()
    for (const look of [() => Promise.resolve(), () => page.reload()]) {
      await look()
      await transcript.getByText('Went on after an error').waitFor()
      expect(await transcript.getByText('Trying again').count()).toBe(0)
      expect(await alerts(page)).toBe(0)
    }
  })

  it('again and again is an error in the end, told once with all that was tried', async () => {
    const { page, transcript } = await openTask('be overloaded for ever')
    await transcript.getByText('Turn failed').waitFor()
    for (const look of [() => Promise.resolve(), () => page.reload()]) {
      await look()
      await transcript.getByRole('alert').waitFor()
      expect(await alerts(page)).toBe(1)
      expect(await transcript.getByText(/Trying again|Went on/).count()).toBe(0)
    }
  })

  it('for good, at once, is an error told once', async () => {
    const { page, transcript } = await openTask('refuse')
    await transcript.getByText('Turn failed').waitFor()
    await transcript.getByRole('alert').getByText('scripted refusal').waitFor()
    expect(await alerts(page)).toBe(1)
    expect(await transcript.getByText('scripted refusal').count()).toBe(1)
  })
})
