import { defineTool, type Tool, type ToolContext } from '../../codex/index.ts'
import { type InsideFile, openInside } from '../../util/open-inside.ts'
import { lineOf, textOf } from './texts.ts'

/** A file that the model hands over. It is closed when `take` has ended, or before: when the call is cancelled or too slow. */
export interface HandedFile extends Pick<InsideFile, 'path' | 'bytes' | 'read'> {
  readonly title: string
  readonly note: string | null
}

export interface DeliverOptions {
  /** Where the file must be, by its real path. Absolute. */
  readonly folders: readonly string[] | (() => Promise<readonly string[]>)
  /** Where the file must be besides, should the folders become links. null: anywhere in them. */
  readonly within?: (() => Promise<readonly string[] | null>) | undefined
  /** For files that are on another machine: opens and checks one. null: it is here. */
  readonly open?:
    | ((path: string, options: { readonly maxBytes: number }) => Promise<InsideFile | null>)
    | undefined
  /** Files and folders that are never handed over: those with logins. */
  readonly forbidden?: readonly string[] | (() => Promise<readonly string[]>) | undefined
  /** Default 100 MiB. */
  readonly maxBytes?: number | undefined
  /** Keeps it: reads all of it before it resolves. What it returns is told to the model. */
  take(file: HandedFile, context: ToolContext): Promise<string>
}

const MAX_BYTES = 100 * 1024 * 1024
const MAX_TITLE = 200
const MAX_NOTE = 4_000
const COPY_MS = 10 * 60_000

export function deliverTool(options: DeliverOptions): Tool {
  const { maxBytes = MAX_BYTES, take } = options
  return defineTool({
    name: 'deliver',
    description:
      'Hands a finished file over to the people or the program that you work for. It is copied at once: later changes are ' +
      'not seen, so deliver it again after you have changed it. They may accept it or send it back with words, which you get ' +
      'as a message. Use it for results, not for files that are only needed on the way.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, seen from your working folder or absolute.' },
        title: { type: 'string', description: 'What it is, in a few words.' },
        note: { type: ['string', 'null'], description: 'What they should know about it.' },
      },
      required: ['path', 'title'],
    },
    timeoutMs: COPY_MS,
    handler: async ({ path, title, note }, context) => {
      const file =
        (await options.open?.(path, { maxBytes })) ?? (await openHere(path, { ...options, maxBytes }))
      // Nobody wants the answer any more, or it took too long: the copy ends too, and nothing of it is kept.
      const stop = () => void file.close()
      context.signal.addEventListener('abort', stop, { once: true })
      try {
        context.signal.throwIfAborted()
        const words = {
          title: lineOf(title, MAX_TITLE) || file.path,
          note: textOf(note ?? '', MAX_NOTE) || null,
        }
        return await take({ ...file, ...words }, context)
      } finally {
        context.signal.removeEventListener('abort', stop)
        await file.close()
      }
    },
  })
}

async function openHere(
  path: string,
  { folders, within, forbidden = [], maxBytes }: DeliverOptions & { readonly maxBytes: number },
): Promise<InsideFile> {
  return openInside(path, {
    ...{ folders: await all(folders), within: await within?.() },
    ...{ forbidden: await all(forbidden), maxBytes },
  })
}

function all(paths: readonly string[] | (() => Promise<readonly string[]>)): Promise<readonly string[]> {
  return typeof paths === 'function' ? paths() : Promise.resolve(paths)
}
