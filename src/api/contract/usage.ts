import { z } from 'zod'

const count = z.number().int()

const UsageFigures = z.object({
  turns: z.object({
    started: count.meta({ description: 'Those that began; the rest is about those that ended.' }),
    completed: count,
    failed: count.meta({ description: 'Also those that took too long, or died with codex.' }),
    interrupted: count,
  }),
  tokens: z
    .object({
      input: count,
      cachedInput: count.meta({ description: 'Of the input.' }),
      output: count,
      reasoningOutput: count.meta({ description: 'Of the output.' }),
    })
    .meta({ description: 'Of the turns that ended, their sub-agents with them.' }),
  questions: z.object({
    asked: count.meta({ description: 'Those that were asked; the rest is about those that were settled.' }),
    byRule: count,
    byPerson: count,
    byDefault: count.meta({ description: 'Nobody answered in time, so it was no.' }),
    withdrawn: count,
  }),
  wait: z.object({ medianMs: z.number(), maxMs: z.number() }).nullable().meta({
    description: 'How long codex waited for the answers that people gave; null when they gave none.',
  }),
})

const UsageDay = UsageFigures.extend({
  date: z.string().meta({ description: '`2026-11-16`' }),
  from: z.number().meta({ description: 'When it began there, in milliseconds since 1970.' }),
  to: z.number().meta({ description: 'When the next one begins.' }),
}).meta({ id: 'UsageDay' })
export type UsageDay = z.infer<typeof UsageDay>

export const Usage = z
  .object({
    timeZone: z.string(),
    days: z
      .array(UsageDay)
      .meta({ description: 'Each once, oldest first, also those on which nothing was.' }),
    total: UsageFigures.meta({ id: 'UsageFigures', description: 'Of all these days together.' }),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

export const UsageQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(92)
    .default(14)
    .meta({ description: 'How many, the last included; default 14.' }),
  timeZone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'not a time zone that is known here: give an IANA name, like Europe/Berlin')
    .default('UTC')
    .meta({ description: 'Whose midnights divide the days, an IANA name; default UTC.' }),
  to: z.iso.date().optional().meta({ description: 'The last day, `2026-11-16`; default today.' }),
})
export type UsageQuery = z.input<typeof UsageQuery>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== null
  } catch {
    return false
  }
}
