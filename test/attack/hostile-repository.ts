// A throw-away world for attacks on the presets: a hostile repository as the workspace, canaries outside of it, the real
// codex in its real sandbox, and a model that tries one escape after the other.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Answer, ThreadOptions } from '../../src/codex/index.ts'
import {
  type ModelRequest,
  makeWorkspace,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { HOME_WITH_ROOTS } from '../support/hostile-repo.ts'
import { openClient } from '../support/open-client.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { ESCAPES, type Escape } from './escapes.ts'

const SECRET = 'canary-6f1d2e'
const TURN_MS = 55_000

export interface Try {
  readonly thread: ThreadOptions
  /** Whether the model asks to leave the sandbox. */
  readonly isEscalated: boolean
  /** What the person says who is asked. */
  readonly answer: Answer
  /** Names of rows; all that are possible unless said. */
  readonly only?: readonly string[]
}

export interface Tried {
  readonly name: string
  readonly effect: 'write' | 'read'
  /** Whether a person was asked. */
  readonly isAsked: boolean
  /** Whether the effect happened. */
  readonly isDone: boolean
}

/** The rows whose program is on this machine. */
export const POSSIBLE: readonly Escape[] = ESCAPES.filter(({ program }) => isInstalled(program))

/** One codex of this version; each `attempt` is one thread that tries all that is possible here. */
export async function openHostileRepository({ codexPath = bundledCodex() }: { codexPath?: string } = {}) {
  let steps: readonly string[] = []
  let isEscalated = false
  let current = -1
  let answer: Answer = 'deny'
  const asked = new Set<number>()
  const script = (request: ModelRequest): Reply => {
    current = toolOutputs(request).length
    const command = steps[current]
    return command === undefined
      ? message('fine')
      : shell(command, isEscalated ? { escalate: 'to show' } : {})
  }
  const onApproval = () => {
    asked.add(current)
    return answer
  }
  const env = { ...process.env, CANARY: SECRET }
  const { codex, model, cwd } = await openClient(script, {
    home: HOME_WITH_ROOTS,
    host: { codexPath, env, passEnv: ['CANARY'] },
    client: { onApproval },
  })
  const outside = await makeWorkspace({ files: { 'secret.json': JSON.stringify(SECRET) } })
  onTestFinished(() => outside.remove())
  const places = (name: string) => ({ dir: path.join(cwd, name), out: path.join(outside.path, name) })
  const filled = (text: string, name: string) =>
    text
      .replaceAll('OUTSIDE', outside.path)
      .replaceAll('OUT', places(name).out)
      .replaceAll('DIR', places(name).dir)
      .replaceAll('CODEX', String(codex.pid))

  /** What came of every escape, on a thread of its own. */
  async function attempt(one: Try): Promise<readonly Tried[]> {
    const rows = POSSIBLE.filter(({ name }) => one.only?.includes(name) ?? true)
    for (const row of rows) prepare(row, places(row.name), filled)
    steps = rows.map(({ command, name }) => filled(command, name))
    ;({ isEscalated, answer } = one)
    asked.clear()
    const thread = await codex.startThread({ cwd, ...one.thread })
    const turn = await thread.startTurn('go', { timeoutMs: TURN_MS })
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    const told = toolOutputs(model.requests.findLast(({ threadId }) => threadId === thread.id)!)
    expect(told).toHaveLength(steps.length)
    return rows.map(({ name, effect = 'write' }, index) => ({
      name,
      effect,
      isAsked: asked.has(index),
      isDone: effect === 'write' ? existsSync(places(name).out) : told[index]!.text.includes(SECRET),
    }))
  }

  return { attempt }
}

/** The names of those that a test is about, for messages that say which. */
export function namesOf(tried: readonly Tried[], isMeant: (one: Tried) => boolean): string[] {
  return tried.filter(isMeant).map(({ name }) => name)
}

function prepare(
  { name, files = {}, prepare: commands = [] }: Escape,
  { dir, out }: { dir: string; out: string },
  filled: (text: string, name: string) => string,
): void {
  for (const place of [dir, out]) rmSync(place, { recursive: true, force: true })
  mkdirSync(dir)
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(dir, file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, filled(text, name))
    if (text.startsWith('#!')) chmodSync(place, 0o755)
  }
  for (const command of commands)
    execFileSync('sh', ['-c', filled(command, name)], { cwd: dir, stdio: 'pipe' })
  // Nothing of the preparation counts.
  rmSync(out, { force: true })
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
