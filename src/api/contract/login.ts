import { z } from 'zod'

export const LoginLink = z
  .object({
    url: z.string().meta({ description: 'Works once.' }),
    expiresAt: z.number(),
  })
  .meta({ id: 'LoginLink' })
export type LoginLink = z.infer<typeof LoginLink>

export const Login = z
  .object({
    id: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    userAgent: z.string().nullable(),
    isThis: z.boolean().meta({ description: 'The one this request was made with.' }),
  })
  .meta({ id: 'Login', description: 'A browser that was let in by a link.' })
export type Login = z.infer<typeof Login>

export const LoginList = z.object({ items: z.array(Login) }).meta({ id: 'LoginList' })
