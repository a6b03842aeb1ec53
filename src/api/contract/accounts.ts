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
              model: z.string().nullable().meta({ description: 'Of one model alone; null: of the plan.' }),
              usedPercent: z.number(),
              windowMins: z.number().nullable(),
              resetsAt: time.nullable(),
              at: time.meta({ description: 'When codex said so: in a check, or during a turn.' }),
            }),
          )
          .readonly(),
        at: time.nullable().meta({ description: 'When it was last checked; null: only turns told of it.' }),
      })
      .nullable()
      .meta({ description: 'What codex said of the account.' }),
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

const poolRule = {
  onLimit: OnLimit.nullable().meta({
    description: 'For tasks that do not say it themselves; null: as the account of the task says.',
  }),
  billing: z.enum(['same', 'any']).meta({
    description:
      '`any`: tasks of the pool may go from a plan to an API key and back, which is paid for otherwise.',
  }),
}

export const AccountPool = z
  .object({
    name: z.string(),
    accounts: z.array(z.string()).readonly(),
    leftOut: z.array(z.string()).readonly().meta({
      description: 'API keys that it gives to no task: it has plans too, and `billing` is `same`.',
    }),
    ...poolRule,
    changedAt: time.nullable(),
    changedBy: z.string().nullable(),
  })
  .meta({ id: 'AccountPool', description: 'Accounts that tasks can ask for together, as `pool:<name>`.' })
export type AccountPool = z.infer<typeof AccountPool>

export const AccountPoolList = z.object({ items: z.array(AccountPool) }).meta({ id: 'AccountPoolList' })

const names = z.array(z.string().min(1).max(80)).max(100).optional()

export const ChangeAccountPool = z
  .strictObject({
    onLimit: poolRule.onLimit.optional(),
    billing: poolRule.billing.optional(),
    add: names.meta({ description: 'Names of accounts that it gets.' }),
    remove: names.meta({ description: 'Names of accounts that leave it.' }),
  })
  .meta({ id: 'ChangeAccountPool', description: 'What is left out stays as it is.' })
export type ChangeAccountPool = z.input<typeof ChangeAccountPool>
