import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { userInputQuestion } from '../../../test/support/questions.ts'
import type { Approval } from '../../api/index.ts'
import type { Surroundings } from '../process/surroundings.ts'
import { UsageError } from '../process/usage-error.ts'
import { secretValues } from './secret-values.ts'

const more = { header: '', question: '?', isOther: false, isSecret: true, options: null }
const question = userInputQuestion(['token', 'pin'].map((id) => ({ id, ...more }))) as Approval['question']

function piped(text: string): Surroundings {
  const stdin = new PassThrough()
  stdin.end(text)
  return { stdin, interrupted: new AbortController().signal } as unknown as Surroundings
}

/** A terminal where these keys are pressed, one by one, as soon as somebody listens. */
function typing(keys: string) {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void (isRaw && setImmediate(() => stdin.write(keys))),
  })
  const shown: string[] = []
  const place = {
    stdin,
    stderr: { write: (text: string) => shown.push(text) },
    interrupted: new AbortController().signal,
    interrupt: () => {},
    onExit: () => () => {},
  }
  return { shown, surroundings: place as unknown as Surroundings }
}

describe('--secret', () => {
  it('of one name is all of stdin but its last newline', async () => {
    expect(await secretValues(question, ['token'], piped('a b=\nc\n'))).toEqual(['token=a b=\nc'])
  })

  it('of several is a line for each', async () => {
    expect(await secretValues(question, ['pin', 'token'], piped('1234\r\nxyz\n'))).toEqual([
      'pin=1234',
      'token=xyz',
    ])
    await expect(secretValues(question, ['pin', 'token'], piped('1234\n'))).rejects.toThrow(/a line for each/)
    await expect(secretValues(question, ['pin'], piped(''))).rejects.toThrow(UsageError)
  })

  it('is typed at a terminal, and not shown', async () => {
    const { shown, surroundings } = typing('hunter2\r')
    expect(await secretValues(question, ['token'], surroundings)).toEqual(['token=hunter2'])
    expect(shown.join('')).toBe('token (not shown): \n')
  })

  it('of another name is refused before anything is read', async () => {
    await expect(secretValues(question, ['tokn'], piped('x'))).rejects.toThrow(
      '--secret tokn: that is not asked for; the names are token, pin',
    )
  })
})
