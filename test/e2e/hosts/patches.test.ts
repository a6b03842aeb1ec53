// Changes to files on a host, in both modes: what a person is shown of them, and where they are made.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  applyPatch,
  lastUserText,
  type ModelRequest,
  message,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { remoteTasks } from '../../support/ssh/remote-tasks.ts'
import { questionOf } from '../../support/task-facts.ts'

/** A model that adds the file that the message names. */
function addsFile(request: ModelRequest) {
  if (toolOutputs(request).length > 0) return message('done')
  return applyPatch(`*** Begin Patch\n*** Add File: ${lastUserText(request)}\n+one\n*** End Patch`)
}

it.each(['exec', 'remote'] as const)(
  'a change is shown whole before it is made, on the host and nowhere else (%s)',
  async (mode) => {
    const { tasks, on, machine, cwd } = await remoteTasks(addsFile, { mode })
    const file = (name: string) => path.join(machine.homeHere, 'project', name)
    for (const answer of ['deny', 'once'] as const) {
      const { id } = await tasks.start(on(answer), ALICE)
      const { id: questionId, question } = await questionOf(tasks, id)
      expect(question).toMatchObject({ kind: 'file-change', host: 'box', cwd })
      const changes = question.kind === 'file-change' ? question.changes : []
      expect(changes).toMatchObject([{ path: `${cwd}/${answer}`, kind: { type: 'add' }, diff: 'one\n' }])
      expect(existsSync(file(answer))).toBe(false)
      await tasks.decide(questionId, { answer }, ALICE)
      await tasks.wait(id, { through: true })
      const diffs = (await allEvents(tasks, id)).filter(({ method }) => method === 'turn/diff/updated')
      expect(diffs.some(({ frame }) => frame.includes('+one'))).toBe(answer === 'once')
    }
    expect(existsSync(file('deny'))).toBe(false)
    expect(readFileSync(file('once'), 'utf8')).toBe('one\n')
    expect(existsSync(cwd)).toBe(false)
  },
)
