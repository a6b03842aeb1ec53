// Values that must not be seen: typed without being shown, or piped in.
import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Surroundings } from '../process/index.ts'
import { visibleLine } from '../screen/index.ts'
import { Keyboard } from './keyboard.ts'
import { LineEditor } from './line-editor.ts'

/** One secret: typed without being shown at a terminal, else all of stdin. */
export async function readSecret(name: string, surroundings: Surroundings): Promise<string> {
  if (surroundings.stdin.isTTY) return (await typedSecrets([name], surroundings))[0]!
  return readAll(addAbortSignal(surroundings.interrupted, surroundings.stdin))
}

/** One after the other, at a terminal that does not show them. */
export async function typedSecrets(names: readonly string[], surroundings: Surroundings): Promise<string[]> {
  const keyboard = new Keyboard(surroundings)
  const values: string[] = []
  try {
    for (const name of names) {
      // From here on the terminal echoes nothing; only then is there something to type.
      const typed = typedLine(keyboard, surroundings.interrupted)
      surroundings.stderr.write(`${visibleLine(name)} (not shown): `)
      values.push(await typed)
      surroundings.stderr.write('\n')
    }
    return values
  } finally {
    keyboard.release()
  }
}

function typedLine(keyboard: Keyboard, interrupted: AbortSignal): Promise<string> {
  const editor = new LineEditor()
  return new Promise((resolve, reject) => {
    const leave = () => reject(interrupted.reason as Error)
    interrupted.addEventListener('abort', leave, { once: true })
    keyboard.listen((key) => {
      if (!editor.press(key)) return
      keyboard.release()
      interrupted.removeEventListener('abort', leave)
      resolve(editor.text)
    })
  })
}
