// `--secret name`: a value that must not stand on a command line, where the shell keeps it and everybody can see it.
import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Approval } from '../../api/index.ts'
import type { Surroundings } from '../process/surroundings.ts'
import { UsageError } from '../process/usage-error.ts'
import { Keyboard } from '../prompts/keyboard.ts'
import { LineEditor } from '../prompts/line-editor.ts'
import { visibleLine } from '../screen/visible.ts'
import { requireAsked } from './answer-values.ts'

/** As `name=value` each: typed without being shown at a terminal, else a line of stdin each; one alone is all of it. */
export async function secretValues(
  question: Approval['question'],
  names: readonly string[],
  surroundings: Surroundings,
): Promise<string[]> {
  requireAsked(question, names, '--secret')
  if (names.length === 0) return []
  const values = surroundings.stdin.isTTY
    ? await typedValues(names, surroundings)
    : await pipedValues(names, surroundings)
  return names.map((name, index) => `${name}=${values[index]}`)
}

/** One secret: typed without being shown at a terminal, else all of stdin. */
export async function readSecret(name: string, surroundings: Surroundings): Promise<string> {
  if (surroundings.stdin.isTTY) return (await typedValues([name], surroundings))[0]!
  return readAll(addAbortSignal(surroundings.interrupted, surroundings.stdin))
}

async function pipedValues(
  names: readonly string[],
  { stdin, interrupted }: Surroundings,
): Promise<readonly string[]> {
  const all = (await readAll(addAbortSignal(interrupted, stdin))).replace(/\r?\n$/, '')
  const values = names.length === 1 ? [all] : all.split(/\r?\n/)
  if (all !== '' && values.length === names.length) return values
  throw new UsageError(
    `--secret: stdin must have ${names.length === 1 ? 'the value' : 'a line for each value'}`,
  )
}

async function typedValues(names: readonly string[], surroundings: Surroundings): Promise<string[]> {
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
