// What the model hands over and says, taken to its task.
import path from 'node:path'
import type { Tool } from '../../codex/index.ts'
import type { Machine } from '../../hosts/index.ts'
import type { DurableTasks, Task } from '../../tasks/index.ts'
import { type InsideTools, insideTools } from '../../tools/index.ts'
import { defaultCodexHome } from '../trust/index.ts'
import { openOnHost } from './host-file.ts'

export interface InsideParts {
  /** Known once the service is composed. */
  readonly tasks: () => Pick<DurableTasks, 'get' | 'handover'>
  /** Files and folders that commands in untrusted folders cannot read. */
  readonly protect: readonly string[]
  /** As `protectedPaths` in the settings: for hosts. */
  readonly protectThere: readonly string[]
  readonly machineOf: (host: string) => Promise<Machine>
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly maxBytes: number
}

/** A program that answers is waited for so long; a later answer is a message to the task. */
const ANSWER_MS = 60_000

export function deliverTools(taskId: string, parts: InsideParts): readonly Tool[] {
  const { tasks, maxBytes } = parts
  return insideTools({
    deliver: {
      folders: async () => [(await tasks().get(taskId)).cwd],
      within: () => tasks().handover.deliverables.within(taskId),
      open: async (named, options) => {
        const { host, cwd } = await tasks().get(taskId)
        if (host === null) return null
        const there = await parts.machineOf(host)
        const within = await tasks().handover.deliverables.within(taskId)
        return openOnHost(there, named, { folder: cwd, within, protect: parts.protectThere, ...options })
      },
      forbidden: async () => forbiddenTo(await tasks().get(taskId), parts),
      maxBytes,
      take: async ({ path: at, title, note, read }, { turnId }) => {
        const given = { path: at, title, note, turnId, bytes: read() }
        const { number, bytes } = await tasks().handover.deliverables.deliver(taskId, given)
        return `handed over as deliverable ${number} (${bytes} bytes)`
      },
    },
  })
}

export function reportTools(taskId: string, { tasks }: InsideParts): readonly Tool[] {
  return insideTools({
    status: (status) => tasks().handover.said.progress(taskId, status),
    attention: async (reason) => {
      const { isTold } = await tasks().handover.said.attention(taskId, reason)
      return isTold ? '' : 'shown on the task; people were told too often to be told again'
    },
    openUrl: (url) => tasks().handover.said.link(taskId, url),
  })
}

/** With `isAnswered` a call waits for the answer of the program. */
export function callerTools(
  taskId: string,
  { tasks }: InsideParts,
  { isAnswered }: { readonly isAnswered: boolean },
): readonly Tool[] {
  const tell: InsideTools['tellCaller'] = async (message, { signal }) => {
    const { callerMessages } = tasks().handover
    if (!isAnswered) return void (await callerMessages.tell(taskId, message))
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    return (await callerMessages.ask(taskId, message, until))?.value
  }
  return insideTools({ tellCaller: tell })
}

function forbiddenTo({ codexHome }: Task, { protect, dataDir, env }: InsideParts): readonly string[] {
  const homes = [defaultCodexHome(env), ...(codexHome === null ? [] : [codexHome])]
  return [...protect, dataDir, ...homes, ...homes.map((home) => path.join(home, 'auth.json'))]
}
