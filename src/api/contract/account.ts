import { z } from 'zod'

export const Account = z.unknown().meta({
  id: 'Account',
  description: "codex's own words for it, and `rateLimits` where there are any, and `codexHome`.",
})

export const StartAccountLogin = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('chatgptDeviceCode') }),
    z.strictObject({
      type: z.literal('apiKey'),
      apiKey: z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .meta({ format: 'password', writeOnly: true, description: 'Goes to codex and nowhere else.' }),
    }),
  ])
  .meta({ id: 'StartAccountLogin' })
export type StartAccountLogin = z.input<typeof StartAccountLogin>

export const AccountLogin = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('none') }),
    z.object({
      status: z.literal('pending'),
      loginId: z.string(),
      verificationUrl: z.string().meta({ description: 'Where the code is typed in.' }),
      userCode: z.string(),
      startedAt: z.number(),
      expiresAt: z.number(),
    }),
    z.object({ status: z.literal('succeeded'), endedAt: z.number() }),
    z.object({ status: z.literal('failed'), message: z.string(), endedAt: z.number() }),
  ])
  .meta({ id: 'AccountLogin', description: 'How far the last login of codex is.' })
export type AccountLogin = z.infer<typeof AccountLogin>
