// Fields that several tools take. Their descriptions are read by a model with every request: each word counts.
import { z } from 'zod'

export const TaskId = z.string().min(1).max(200)
export const Prompt = z.string().trim().min(1).max(1_000_000)
export const Cursor = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
export const Limit = z.number().int().min(1).max(100)

/** Part of an HTTP header on its way to the service. */
export const ClientRequestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/)
  .describe('Your unique id: a repeated call with it does nothing more')
