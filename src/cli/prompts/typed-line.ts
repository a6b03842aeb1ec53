import { createInterface } from 'node:readline/promises'
import type { Surroundings } from '../process/index.ts'

/** One line typed by a person; empty when they leave. */
export async function typedLine(
  question: string,
  { stdin, stderr, interrupted }: Surroundings,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    return await lines.question(`${question}: `, { signal: interrupted })
  } catch {
    return ''
  } finally {
    lines.close()
  }
}

export function canType({ stdin, stderr }: Surroundings): boolean {
  return stdin.isTTY && stderr.isTTY
}
