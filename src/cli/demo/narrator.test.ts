import { expect, it } from 'vitest'
import { Terminal } from '../terminal.ts'
import { Narrator } from './narrator.ts'

function narrator(signal: AbortSignal, isPaced: boolean) {
  let written = ''
  const output = { write: (text: string) => (written += text) }
  const terminal = new Terminal({ stdout: output, stderr: output, useColour: false })
  return { narrator: new Narrator(terminal, { isPaced, signal }), written: () => written }
}

it('marks its own words, so that they are not taken for those of Codex', async () => {
  const { narrator: tells, written } = narrator(new AbortController().signal, false)
  await tells.scene('1 · Begin', 'Once upon a time.')
  await tells.prompt('Who?')
  expect(written()).toMatch(/^\n1 · Begin ─+\n▎ Once upon a time\.\n\n› Who\?\n$/)
})

it('stops in the middle of a pause when it is told to', async () => {
  const controller = new AbortController()
  const { narrator: tells, written } = narrator(controller.signal, true)
  const said = tells.say('A sentence that takes a while to read.', 'And one more.')
  controller.abort()
  await expect(said).rejects.toThrow()
  expect(written()).not.toContain('And one more.')
})
