// Each task as a resource: its state, its transcript and its diff.
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { DrawbridgeError, projectItems, type protocol } from '../codex/index.ts'
import type { TaskEvent } from '../tasks/index.ts'
import { cutMiddle, cutText } from '../util/cut-text.ts'
import type { McpCaller, McpTasks } from './mcp-caller.ts'
import { taskReport } from './report.ts'
import { taskFacts } from './text/task-text.ts'
import { errorText } from './tool-result.ts'

const LISTED = 20
const TRANSCRIPT_CHARACTERS = 60_000
const DIFF_CHARACTERS = 200_000
/** Newest first; older turns of a long task are left out. */
const PAGE = { limit: 1_000, maxBytes: 4 * 1024 * 1024 }
const MAX_PAGES = 4

type Read = (taskId: string, caller: McpCaller) => Promise<string>

export function addResources(server: McpServer, caller: McpCaller): void {
  const add = (name: string, path: string, read: Read, description: string, mimeType: string) =>
    server.registerResource(
      name,
      new ResourceTemplate(`drawbridge://tasks/{id}${path}`, {
        list: path === '' ? () => told(() => recentTasks(caller.tasks), caller) : undefined,
      }),
      { description, mimeType },
      async (uri, { id }) => ({
        contents: [{ uri: uri.href, mimeType, text: await told(() => read(idOf(id), caller), caller) }],
      }),
    )
  add('task', '', state, 'A task: status, open questions, answer', 'text/plain')
  add('transcript', '/transcript', transcript, 'What was said and done in a task', 'text/plain')
  add('diff', '/diff', diff, 'What the last turn of a task changed', 'text/x-diff')
}

/** The SDK would send the message of any error as it is, and nobody here would hear of it. */
async function told<T>(run: () => Promise<T>, { onError }: McpCaller): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(error, onError))
  }
}

function idOf(given: string | string[] | undefined): string {
  try {
    return decodeURIComponent(String(given))
  } catch (cause) {
    throw new DrawbridgeError('the id in the address cannot be decoded', { code: 'bad-request', cause })
  }
}

async function recentTasks(tasks: McpTasks) {
  const { items } = await tasks.list({ limit: LISTED })
  return {
    resources: items.map(({ id, title, status }) => ({
      uri: `drawbridge://tasks/${id}`,
      name: cutText(title, 100),
      description: status,
      mimeType: 'text/plain',
    })),
  }
}

async function state(taskId: string, caller: McpCaller): Promise<string> {
  const task = await caller.tasks.get(taskId)
  return [await taskReport(task, 0, caller), ...taskFacts(task)].join('\n')
}

/** Messages as chat APIs have them; the newest where not all fits. */
async function transcript(taskId: string, { tasks }: McpCaller): Promise<string> {
  const items: protocol.v2.ThreadItem[] = []
  for await (const event of newestFirst(taskId, tasks))
    if (event.method === 'item/completed')
      items.unshift(paramsOf<{ item: protocol.v2.ThreadItem }>(event).item)
  const lines = projectItems(items).map((message) => {
    if (message.role === 'tool') return `[result] ${message.content}`
    if (message.role === 'user') return `[user] ${message.content}`
    const calls =
      message.tool_calls?.map(({ function: { name, arguments: given } }) => `[${name}] ${given}`) ?? []
    return [...(message.content ? [`[codex] ${message.content}`] : []), ...calls].join('\n')
  })
  return cutMiddle(lines.join('\n'), TRANSCRIPT_CHARACTERS) || 'Nothing has been said yet.'
}

async function diff(taskId: string, { tasks }: McpCaller): Promise<string> {
  for await (const event of newestFirst(taskId, tasks))
    if (event.method === 'turn/diff/updated')
      return cutText(paramsOf<{ diff?: string }>(event).diff ?? '', DIFF_CHARACTERS)
  return ''
}

async function* newestFirst(taskId: string, tasks: McpTasks): AsyncGenerator<TaskEvent> {
  let before = Number.MAX_SAFE_INTEGER
  for (let page = 0; page < MAX_PAGES; page++) {
    const { events, hasMore } = await tasks.events(taskId, { before, ...PAGE })
    yield* events.toReversed()
    if (!hasMore || events.length === 0) return
    before = events[0]!.seq
  }
}

function paramsOf<T>({ frame }: TaskEvent): T {
  return Object((JSON.parse(frame) as { params?: unknown }).params) as T
}
