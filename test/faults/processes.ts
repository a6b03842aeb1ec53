// What runs, as /proc tells it: written apart from `src/hosts`, so that a fault there cannot hide itself here.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'

/** In the environment of everything a test starts. The prefix is one that the environment's allowlist lets pass. */
export const TAG_VARIABLE = 'XDG_FAULT_TEST'

/** For Node programs run from TypeScript: what was compiled once is not compiled again at every start. */
export const FASTER_NODE = { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled') }

/** A process that a recycled pid cannot impersonate; null when there is none, or a zombie. */
export function identityOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`)
  if (!stat) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? null : `${pid} since ${fields[19]}`
}

/** Every living process that was started, at any depth, with this tag. */
export function processesTagged(tag: string): string[] {
  // Bytes, not lines: tests look at every process of the machine until those of theirs are gone.
  const variable = Buffer.from(`\0${TAG_VARIABLE}=${tag}\0`)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => hasVariable(`/proc/${pid}/environ`, variable))
    .filter((pid) => identityOf(Number(pid)) !== null)
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')}`)
}

/** Those among the tagged whose command line holds this text. */
export function taggedRunning(tag: string, text: string): string[] {
  return processesTagged(tag).filter((process) => process.includes(text))
}

/** Looks until the fact holds; fails the test when it does not hold in time. */
export async function eventually(
  fact: () => boolean,
  what: string | (() => string),
  timeoutMs = 10_000,
): Promise<void> {
  const endsAt = performance.now() + timeoutMs
  while (!fact()) {
    if (performance.now() > endsAt)
      expect.fail(`not in ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`)
    await delay(10)
  }
}

/** The promise's value or reason; fails the test when it takes longer. */
export async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(new Error(`still waiting after ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([promise, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}

/** What the promise is rejected with; fails the test when it is not, or not in time. */
export async function rejection(promise: Promise<unknown>, timeoutMs = 5_000): Promise<unknown> {
  const outcome = await within(
    timeoutMs,
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
  )
  return 'error' in outcome ? outcome.error : expect.fail(`resolved with ${JSON.stringify(outcome.value)}`)
}

function hasVariable(file: string, variable: Buffer): boolean {
  try {
    const environment = readFileSync(file)
    return environment.includes(variable) || environment.indexOf(variable.subarray(1)) === 0
  } catch {
    return false
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}
