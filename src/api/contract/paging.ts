import { z } from 'zod'

export const PageQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'At most this many; default 50.' }),
  cursor: z.string().max(500).optional().meta({ description: 'Of the page before.' }),
})

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    cursor: z.string().nullable().meta({ description: 'For the next page; null on the last.' }),
  })
}

/** `a,b` in a query. */
export function commaList<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(item))
}

export interface Page<T> {
  items: T[]
  cursor: string | null
}
