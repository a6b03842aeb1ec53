import { z } from 'zod'
import { PageQuery } from './paging.ts'

const status = z.enum(['pending', 'sent', 'dead', 'no_target'])

export const Notice = z
  .object({
    id: z.string(),
    taskId: z.string(),
    cause: z.enum([
      ...(['approval', 'input', 'ended', 'limited', 'lost', 'message'] as const),
      ...(['deliverable', 'attention', 'link', 'caller-message'] as const),
    ]),
    target: z.string(),
    status,
    title: z.string(),
    text: z.string(),
    attempts: z.number(),
    nextAttemptAt: z.number().nullable(),
    lastError: z.string().nullable(),
    createdAt: z.number(),
    sentAt: z.number().nullable(),
  })
  .meta({ id: 'Notice' })
export type Notice = z.infer<typeof Notice>

export const NoticeListQuery = PageQuery.extend({ status: status.optional(), taskId: z.string().optional() })

export const NoticeDryRun = z
  .union([
    z.object({
      target: z.string(),
      method: z.enum(['POST', 'SMTP', 'local']),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
    z.object({ error: z.string().meta({ description: 'Why it could not be sent.' }) }),
  ])
  .meta({ id: 'NoticeDryRun', description: 'What would be sent, secrets taken out.' })
export type NoticeDryRun = z.infer<typeof NoticeDryRun>
