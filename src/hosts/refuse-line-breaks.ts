import { DrawbridgeError } from '../codex/index.ts'

/**
 * A line with a line break in it would reach codex as two, the second of our caller's making. JSON.stringify
 * never writes one. (A lone surrogate needs no check: Node writes it as U+FFFD, so the bytes are always UTF-8.)
 */
export function refuseLineBreaks(line: string): void {
  if (!line.includes('\n') && !line.includes('\r')) return
  throw new DrawbridgeError('cannot send a line to codex that has a line break in it', {
    code: 'line-break-in-line',
  })
}
