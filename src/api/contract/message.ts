import { z } from 'zod'
import { TurnInput, TurnOverrides } from './input.ts'

export const SendMessage = z
  .strictObject({ input: TurnInput, overrides: TurnOverrides.optional() })
  .meta({ id: 'SendMessage' })
export type SendMessage = z.input<typeof SendMessage>

export const SteerTurn = z.strictObject({ input: TurnInput }).meta({ id: 'SteerTurn' })
export type SteerTurn = z.input<typeof SteerTurn>

export const Message = z
  .object({
    id: z.string(),
    taskId: z.string(),
    mode: z.enum(['steer', 'queue']),
    text: z.string(),
    status: z.enum(['queued', 'delivered', 'failed', 'cancelled']),
    turnId: z.string().nullable().meta({ description: 'The turn it went to.' }),
    actor: z.string(),
    createdAt: z.number(),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>
