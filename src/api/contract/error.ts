import { z } from 'zod'

/** Every refusal has this body. Programs decide on `code`. */
export const ErrorBody = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'Stable; see the table in docs/user/api.md.' }),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
