// News as the text of a NOTIFY: `{"from":…,"news":[["e","task",12,1],["c","worker"],["r","command"],["q"]]}`.
import type { News } from './bus.ts'

/** PostgreSQL takes less than 8,000 bytes. */
const MAX_BYTES = 7_900

type Packed =
  | readonly ['e', string, number, 0 | 1]
  | readonly ['c', string]
  | readonly ['r', string]
  | readonly ['q']

/** As many as are needed, each small enough. News that does not fit into one alone is left out: polling finds it. */
export function toPayloads(from: string, news: Iterable<News>): string[] {
  const opening = `{"from":${JSON.stringify(from)},"news":[`
  const room = MAX_BYTES - Buffer.byteLength(opening) - 2
  const payloads: string[] = []
  let group: string[] = []
  let bytes = 0
  const close = () => {
    if (group.length > 0) payloads.push(`${opening}${group.join(',')}]}`)
    group = []
    bytes = 0
  }
  for (const each of news) {
    const text = JSON.stringify(packed(each))
    const size = Buffer.byteLength(text) + 1
    if (size > room) continue
    if (bytes + size > room) close()
    group.push(text)
    bytes += size
  }
  close()
  return payloads
}

/** Nothing of what another version says differently: polling finds it. */
export function fromPayload(text: string): { from: string; news: News[] } | null {
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null) return null
  const { from, news } = parsed as { from?: unknown; news?: unknown }
  if (typeof from !== 'string' || !Array.isArray(news)) return null
  return { from, news: news.map(unpacked).filter((each) => each !== null) }
}

function packed(news: News): Packed {
  switch (news.kind) {
    case 'events':
      return ['e', news.taskId, news.seq, news.hasOwn ? 1 : 0]
    case 'command':
      return ['c', news.workerId]
    case 'result':
      return ['r', news.commandId]
    case 'queue':
      return ['q']
  }
}

function unpacked(value: unknown): News | null {
  if (!Array.isArray(value)) return null
  const [kind, id, seq, own] = value as unknown[]
  if (kind === 'q') return { kind: 'queue' }
  if (typeof id !== 'string') return null
  if (kind === 'c') return { kind: 'command', workerId: id }
  if (kind === 'r') return { kind: 'result', commandId: id }
  if (kind !== 'e' || !Number.isSafeInteger(seq)) return null
  return { kind: 'events', taskId: id, seq: seq as number, hasOwn: own === 1 }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
