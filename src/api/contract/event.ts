import { z } from 'zod'
import { Approval } from './approval.ts'
import { Message } from './message.ts'
import { Task } from './task.ts'

/** One event, the same in a page and in the `data` of a stream. */
export const EventEnvelope = z
  .object({
    taskId: z.string(),
    seq: z.number(),
    at: z.number().meta({ description: 'When it was received.' }),
    event: z.object({ method: z.string(), params: z.unknown() }).meta({
      description: "codex's notification as it wrote it, secrets taken out; ours begin with drawbridge/.",
    }),
  })
  .meta({ id: 'Event' })
export type EventEnvelope = z.infer<typeof EventEnvelope>

export const EventPage = z
  .object({
    events: z.array(EventEnvelope),
    hasMore: z.boolean().meta({ description: 'In the direction asked for.' }),
  })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof EventPage>

const sequence = z.coerce.number().int().min(0)

export const EventQuery = z.object({
  after: sequence.optional().meta({ description: 'Forwards from here.' }),
  before: sequence.optional().meta({ description: 'Backwards from here; events still come in order.' }),
  limit: z.coerce.number().int().min(1).max(5000).optional().meta({ description: 'Default 200.' }),
  maxBytes: z.coerce.number().int().min(1).max(16_777_216).optional().meta({ description: 'Default 1 MiB.' }),
})
export type EventQuery = z.infer<typeof EventQuery>

export const TaskDetail = z
  .object({
    task: Task,
    approvals: z.array(Approval),
    messages: z.array(Message),
    events: z.array(EventEnvelope).meta({ description: 'The newest, in order.' }),
  })
  .meta({ id: 'TaskDetail' })
export type TaskDetail = z.infer<typeof TaskDetail>
