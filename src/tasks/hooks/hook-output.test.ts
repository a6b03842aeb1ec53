import { expect, it } from 'vitest'
import { HookOutput, type OutputPiece } from './hook-output.ts'

function output() {
  const batches: (readonly OutputPiece[])[] = []
  const made = new HookOutput((pieces) => batches.push(pieces))
  const text = (stream: string) =>
    batches
      .flat()
      .filter((piece) => piece.stream === stream)
      .map((piece) => piece.text)
      .join('')
  return { made, batches, text }
}

it('takes secrets out, also those that come in two pieces', () => {
  const { made, text } = output()
  made.write('token sk-proj-abcdefghijklmn')
  made.write('opqrstuvwxyz0123456789ABCD\nafter\n')
  made.end()
  expect(text('stdout')).not.toContain('sk-proj-abcdef')
  expect(text('stdout')).not.toContain('opqrstuv')
  expect(text('stdout')).toContain('after')
})

it('keeps the beginning and the end of 30 MB, in batches', () => {
  const { made, batches, text } = output()
  const line = `${'x'.repeat(63)}\n`
  made.write('first\n')
  for (let sent = 0; sent < 30 * 1024 * 1024; sent += 64 * 1024) made.write(line.repeat(1024))
  made.write('last words\n', 'stderr')
  made.write('the end\n')
  made.end()
  expect(made.bytes).toBeGreaterThan(30 * 1024 * 1024)
  expect(text('stdout').length).toBeLessThan(300_000)
  expect(text('stdout')).toMatch(/^first\n[\s\S]*\[… \d+ characters left out …\][\s\S]*the end\n$/)
  expect(text('stderr')).toBe('last words\n')
  expect(batches.length).toBeLessThan(40)
})
