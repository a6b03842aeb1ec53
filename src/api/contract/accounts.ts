import { z } from 'zod'
import { OnLimit } from './task.ts'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'must be 1 to 40 letters, digits, ".", "_" and "-"')
const secret = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .meta({ format: 'password', writeOnly: true, description: 'Kept sealed, never shown.' })

export const LentAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['chatgpt', 'apikey', 'access-token']),
    pools: z.array(z.string()).readonly(),
    state: z.enum(['active', 'disabled', 'dead']),
    stateReason: z.object({ code: z.string(), message: z.string(), at: time }).nullable(),
    usedBy: z.object({ worker: z.string(), until: time }).nullable().meta({
      description: 'The worker whose codex has the login now, and until when its lease lasts.',
    }),
    usedAt: time.nullable(),
    limitedUntil: time.nullable().meta({ description: 'When the usage limit that was hit ends.' }),
    facts: z
      .object({
        email: z.string().nullable(),
        plan: z.string().nullable(),
        windows: z
          .array(
            z.object({
              name: z.string(),
              usedPercent: z.number(),
              windowMins: z.number().nullable(),
              resetsAt: time.nullable(),
            }),
          )
          .readonly(),
        at: time,
      })
      .nullable()
      .meta({ description: 'What codex said when the account was last checked.' }),
    reservePercent: z.number().meta({ description: 'Tasks leave so much of each window to people.' }),
    onLimit: OnLimit,
    createdAt: time,
  })
  .meta({
    id: 'LentAccount',
    description: 'A codex login that tasks borrow. The login itself is never shown.',
  })
export type LentAccount = z.infer<typeof LentAccount>

export const LentAccountList = z.object({ items: z.array(LentAccount) }).meta({ id: 'LentAccountList' })

const settings = {
  pools: z.array(Name).max(20).optional(),
  reservePercent: z.number().int().min(0).max(95).optional(),
  onLimit: OnLimit.optional(),
}

export const AddLentAccount = z
  .strictObject({
    name: Name,
    login: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('authJson'), authJson: secret(256 * 1024) }),
        z.strictObject({ type: z.literal('apiKey'), apiKey: secret(1000) }),
        z.strictObject({ type: z.literal('accessToken'), accessToken: secret(20_000) }),
      ])
      .meta({ description: 'The text of an auth.json, an API key, or an access token.' }),
    config: secret(1024 * 1024)
      .optional()
      .meta({
        description: 'A config.toml for its codex, kept sealed with the login. Default: a minimal one.',
      }),
    replace: z.boolean().optional().meta({ description: 'Replace the login of an account that is there.' }),
    ...settings,
  })
  .meta({ id: 'AddLentAccount' })
export type AddLentAccount = z.input<typeof AddLentAccount>

export const StartLentLogin = AddLentAccount.omit({ login: true }).meta({ id: 'StartLentLogin' })
export type StartLentLogin = z.input<typeof StartLentLogin>

export const LentLogin = z
  .object({
    status: z.enum(['none', 'pending', 'succeeded', 'failed']),
    name: z.string().optional(),
    loginId: z.string().optional(),
    verificationUrl: z.string().optional(),
    userCode: z.string().optional(),
    expiresAt: z.number().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'LentLogin', description: 'How far the last login by code for an account is.' })
export type LentLogin = z.infer<typeof LentLogin>

export const ChangeLentAccount = z
  .strictObject({ name: Name.optional(), state: z.enum(['active', 'disabled']).optional(), ...settings })
  .meta({ id: 'ChangeLentAccount' })
export type ChangeLentAccount = z.input<typeof ChangeLentAccount>

export const CheckedAccount = z
  .object({
    verdict: z.enum(['alive', 'dead', 'inconclusive']),
    message: z.string(),
    account: LentAccount,
  })
  .meta({ id: 'CheckedAccount' })
export type CheckedAccount = z.infer<typeof CheckedAccount>

export const RevokeAccount = z
  .strictObject({ confirm: z.string().meta({ description: 'The name of the account, once more.' }) })
  .meta({ id: 'RevokeAccount' })
