import { z } from 'zod'
import { AbsolutePath, PresetName } from './input.ts'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

const Ceiling = z
  .strictObject({
    sandbox: z
      .enum(['read-only', 'workspace-write', 'danger-full-access'])
      .meta({ description: 'The widest sandbox of its tasks.' }),
    preset: PresetName.meta({ description: 'The widest preset of its tasks.' }),
    network: z
      .boolean()
      .meta({ description: 'Whether its tasks may reach the network from inside the sandbox.' }),
    folders: z.array(AbsolutePath).min(1).max(50).nullable().meta({
      description:
        'Its tasks on this machine work in one of these folders, or below, by real path; null: anywhere.',
    }),
    hosts: z
      .array(
        z
          .string()
          .regex(/^[^:/\s]+(?::\/.*)?$/, 'must be <host> or <host>:/<folder there>')
          .max(4200),
      )
      .max(50)
      .optional()
      .meta({
        description:
          'Hosts that its tasks may run on: `<host>`, in any folder there, or `<host>:<folder>`. Default: none.',
      }),
    accounts: z.array(z.string().min(1).max(200)).max(50).optional().meta({
      description:
        'Accounts that its tasks may run on, as a start names them: `work`, `pool:team`. Default: none.',
    }),
  })
  .meta({ id: 'TokenCeiling' })

/** What is kept of what a token may do. A field that is not known here may be a limit: then the token does not count. */
export const TokenScope = z
  .strictObject({
    tasks: z
      .enum(['own', 'all'])
      .meta({ description: '`own`: only tasks it started, and those below them; `all`: every task.' }),
    may: z
      .array(z.enum(['read', 'start', 'answer', 'answer-own']))
      .min(1)
      .meta({
        description:
          '`read`: see tasks. `start`: start tasks and go on with those it sees. `answer`: answer questions of tasks ' +
          'that others started. `answer-own`: answer those of its own tasks too.',
      }),
    ceiling: Ceiling,
  })
  .meta({ id: 'TokenScope' })
export type TokenScope = z.infer<typeof TokenScope>

export const TokenName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/, 'must be 1 to 40 of a-z, 0-9, ".", "_" and "-"')

export const AddToken = z
  .strictObject({
    name: TokenName.meta({ description: 'In the audit as `token:<name>`; free again once it is revoked.' }),
    tasks: TokenScope.shape.tasks.optional().meta({ description: 'Default `own`.' }),
    may: TokenScope.shape.may.optional().meta({ description: 'Default `read` and `start`.' }),
    ceiling: Ceiling.partial().optional().meta({
      description:
        'Default: sandbox `read-only`, preset `ask-all`, no network, any folder, no host, no account.',
    }),
    expiresAt: time.int().positive().optional(),
  })
  .meta({ id: 'AddToken' })
export type AddToken = z.input<typeof AddToken>

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: TokenScope.nullable().meta({
      description: 'null: it cannot be read, and the token does not count.',
    }),
    createdAt: time,
    createdBy: z.string(),
    usedAt: time.nullable().meta({ description: 'When it was last used, to the minute.' }),
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    revokedBy: z.string().nullable(),
    state: z.enum(['valid', 'expired', 'revoked', 'unreadable']),
  })
  .meta({ id: 'Token', description: 'A named token with limits. The secret itself is not kept.' })
export type Token = z.infer<typeof Token>

export const AddedToken = z
  .object({ token: Token, secret: z.string().meta({ description: 'Shown this once.' }) })
  .meta({ id: 'AddedToken' })
export type AddedToken = z.infer<typeof AddedToken>

export const TokenList = z.object({ items: z.array(Token) }).meta({ id: 'TokenList' })
