import { lastLines } from './explain-failure.ts'
import type { ScriptEnd } from './run-script.ts'
import { type Told, told } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'

/** What a script told that ran to its end. Part of an answer would read as "nothing is there": throws. */
export function wholeAnswer(end: ScriptEnd, host: string): Told {
  if (end.status !== 0) throw diedHalfWay(end, host)
  return told(end.stdout)
}

export function diedHalfWay({ status, stderr }: ScriptEnd, host: string): SshHostError {
  const why = lastLines(stderr) || 'it said nothing'
  const message = `a script on ${host} ended half way with status ${status}: ${why}`
  const hint = `look whether ${host} has memory left and can start more processes`
  return new SshHostError(message, { code: 'host-command-failed', host, hint, retryable: true })
}
