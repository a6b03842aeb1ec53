// What the model hands to people and programs while it works, and what they answer.
import { z } from 'zod'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

export const TaskProgress = z
  .object({
    text: z.string(),
    percent: z.number().nullable().meta({ description: '0 to 100; null: it cannot be told.' }),
    at: time,
  })
  .meta({ id: 'TaskProgress' })
export type TaskProgress = z.infer<typeof TaskProgress>

export const Deliverable = z
  .object({
    id: z.string(),
    taskId: z.string(),
    number: z.number().meta({ description: 'From 1, in its task.' }),
    turnId: z.string().nullable(),
    path: z.string().meta({ description: "Where it was, seen from the task's folder." }),
    name: z.string().meta({ description: 'The last part of the path.' }),
    title: z.string(),
    note: z.string().nullable(),
    bytes: z.number(),
    sha256: z.string(),
    status: z.enum(['pending', 'accepted', 'sent-back']),
    words: z.string().nullable().meta({ description: 'What it was answered with.' }),
    actor: z.string().nullable().meta({ description: 'Who answered.' }),
    createdAt: time,
    answeredAt: time.nullable(),
  })
  .meta({ id: 'Deliverable', description: 'A file that the model handed over.' })
export type Deliverable = z.infer<typeof Deliverable>

export const DeliverableList = z.object({ items: z.array(Deliverable) }).meta({ id: 'DeliverableList' })

export const AnswerDeliverable = z
  .strictObject({
    verdict: z.enum(['accepted', 'sent-back']),
    words: z.string().max(20_000).optional().meta({
      description:
        'They reach the model as a message: in the turn that runs, else as the next turn. Needed to send it back.',
    }),
  })
  .refine(({ verdict, words }) => verdict === 'accepted' || words?.trim(), {
    message: 'say what is to be changed',
    path: ['words'],
  })
  .meta({ id: 'AnswerDeliverable' })
export type AnswerDeliverable = z.input<typeof AnswerDeliverable>

export const CallerMessage = z
  .object({
    id: z.string(),
    taskId: z.string(),
    name: z.string(),
    data: z.unknown(),
    status: z.enum(['sent', 'answered']),
    answer: z.unknown(),
    actor: z.string().nullable(),
    createdAt: time,
    answeredAt: time.nullable(),
  })
  .meta({ id: 'CallerMessage', description: 'What the model told the program that embeds Drawbridge.' })
export type CallerMessage = z.infer<typeof CallerMessage>

export const CallerMessageQuery = z.object({
  status: z.enum(['sent', 'answered']).optional().meta({ description: '`sent`: those without an answer.' }),
})

export const CallerMessageList = z.object({ items: z.array(CallerMessage) }).meta({ id: 'CallerMessageList' })

export const AnswerCallerMessage = z
  .strictObject({ value: z.unknown().meta({ description: 'Any JSON.' }) })
  .meta({ id: 'AnswerCallerMessage' })
export type AnswerCallerMessage = z.input<typeof AnswerCallerMessage>
