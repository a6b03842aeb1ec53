// A task as long as one wants: turns of messages and commands, written into its log while no service has it open.
import { DatabaseSync } from 'node:sqlite'

export interface Filled {
  readonly id: string
  readonly threadId: string
  /** The first that is free. */
  readonly fromSeq: number
  readonly events: number
}

/** Its last event is the message `lastMessage` names. */
export function fillTask(databaseFile: string, { id, threadId, fromSeq, events }: Filled): void {
  const database = new DatabaseSync(databaseFile)
  const insert = database.prepare(
    'insert into events (task_id, seq, at, method, turn_id, item_id, is_delta, frame) values (?, ?, ?, ?, ?, ?, 0, ?)',
  )
  database.exec('begin')
  for (let index = 0; index < events; index++) {
    const turnId = `turn-${Math.floor(index / 40)}`
    const [method, params] = eventOf(index, { threadId, turnId, isLast: index === events - 1 })
    const frame = JSON.stringify({ method, params })
    insert.run(id, fromSeq + index, Date.now(), method, turnId, `item-${index}`, frame)
  }
  database.prepare('update tasks set last_seq = ? where id = ?').run(fromSeq + events, id)
  database.exec('commit')
  database.close()
}

export const lastMessage = (events: number) => `message ${events - 1} `

interface At {
  readonly threadId: string
  readonly turnId: string
  readonly isLast: boolean
}

function eventOf(index: number, { threadId, turnId, isLast }: At): [string, object] {
  const id = `item-${index}`
  if (index % 40 === 38 && !isLast)
    return ['turn/completed', { threadId, turn: { id: turnId, status: 'completed', durationMs: 1200 } }]
  if (index % 3 === 0 && !isLast)
    return [
      'item/completed',
      {
        threadId,
        turnId,
        item: {
          type: 'commandExecution',
          id,
          command: `ls ${index}`,
          aggregatedOutput: 'a\nb\n',
          exitCode: 0,
          durationMs: 12,
          status: 'completed',
        },
      },
    ]
  const text = `message ${index} says **something**${' and more'.repeat(index % 60)}`
  return ['item/completed', { threadId, turnId, item: { type: 'agentMessage', id, text } }]
}
