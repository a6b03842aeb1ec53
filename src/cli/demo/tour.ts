// The tour itself. It talks to Codex as any program would: openCodex, startThread, startTurn.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { protocol, Thread } from '../../codex/index.ts'
import type { Terminal } from '../terminal.ts'
import { Act, DemoError } from './act.ts'
import type { Narrator } from './narrator.ts'
import { PROMPTS } from './script.ts'
import type { Stage } from './stage.ts'

export interface TourOptions {
  readonly stage: Stage
  readonly terminal: Terminal
  readonly narrator: Narrator
  readonly signal: AbortSignal
}

interface Scene {
  readonly act: Act
  readonly thread: Thread
  readonly narrator: Narrator
  readonly folder: string
}

/** Plays all scenes and ends its codex processes. Rejects when something is not as told, or on abort. */
export async function giveTour({ stage, terminal, narrator, signal }: TourOptions): Promise<void> {
  const { host, folder } = stage
  const first = new Act({ host, terminal, signal })
  const second = new Act({ host, terminal, signal })
  try {
    const codex = await first.open()
    await welcome(narrator, codex.codexVersion)
    const thread = await codex.startThread({ cwd: folder, sandbox: 'read-only' })
    const scene = { act: first, thread, narrator, folder }
    for (const play of [streaming, sandbox, approval, change]) await play(scene)
    await first.close()
    await resume(second, { threadId: thread.id, narrator })
  } finally {
    await first.close()
    await second.close()
  }
}

async function welcome(narrator: Narrator, codexVersion: string | null): Promise<void> {
  await narrator.say(
    `Drawbridge runs Codex for you. This is the real Codex${codexVersion ? ` ${codexVersion}` : ''}, on your machine.`,
    'Only the model behind it is scripted: no account, no network, no cost.',
  )
}

async function streaming({ act, thread, narrator }: Scene): Promise<void> {
  await narrator.scene(
    '1 · Streaming',
    'You open a thread and take turns with Codex. Answers come as they are written.',
  )
  await narrator.prompt(PROMPTS.streaming)
  await act.turn(thread, PROMPTS.streaming)
}

async function sandbox({ act, thread, narrator }: Scene): Promise<void> {
  await narrator.scene(
    '2 · Sandbox',
    'Codex runs commands in a sandbox. Unless you say otherwise it may only read.',
  )
  await narrator.prompt(PROMPTS.sandbox)
  const items = await act.turn(thread, PROMPTS.sandbox)
  if (!items.some((item) => item.type === 'commandExecution' && item.exitCode === 0))
    throw new DemoError('Codex could not run a command in its sandbox')
  await narrator.conclude('Reading worked, writing did not: the operating system refused it.')
}

async function approval({ act, thread, narrator, folder }: Scene): Promise<void> {
  await narrator.scene(
    '3 · Approval',
    'To act outside its sandbox Codex has to ask. Nobody is here to answer,',
    'so Drawbridge declines: it never says yes by itself.',
  )
  await narrator.prompt(PROMPTS.approval)
  await act.turn(thread, PROMPTS.approval)
  if (act.declined === 0 || existsSync(path.join(folder, '..', 'report.txt')))
    throw new DemoError('Codex acted outside its sandbox and was not declined')
  await narrator.conclude('The command did not run, and Codex went on without it.')
}

async function change({ act, thread, narrator, folder }: Scene): Promise<void> {
  await narrator.scene('4 · Changing files', 'Now you let Codex write, in this folder only.')
  await narrator.prompt(PROMPTS.change)
  await act.turn(thread, PROMPTS.change, { sandboxPolicy: WORKSPACE_WRITE })
  const file = path.join(folder, 'report.md')
  if (!existsSync(file)) throw new DemoError('Codex did not write its report')
  await narrator.conclude('This is report.md, read from disk:')
  await narrator.show(...readFileSync(file, 'utf8').trimEnd().split('\n'))
}

async function resume(
  act: Act,
  { threadId, narrator }: { threadId: string; narrator: Narrator },
): Promise<void> {
  await narrator.scene(
    '5 · Resuming',
    'That Codex process has ended. A new one takes up the thread by its id.',
  )
  const codex = await act.open()
  const thread = await codex.resumeThread(threadId)
  await narrator.prompt(PROMPTS.resume)
  await act.turn(thread, PROMPTS.resume)
  await narrator.conclude('Nothing was lost: threads are on disk, not in a process.')
}

const WORKSPACE_WRITE: protocol.v2.SandboxPolicy = {
  type: 'workspaceWrite',
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: true,
  excludeSlashTmp: true,
}
