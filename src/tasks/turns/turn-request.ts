import type { ThreadPolicy, TurnInput, TurnOptions } from '../../codex/index.ts'
import type { StoredMessage, StoredTask } from '../../store/index.ts'
import { type Ceiling, type Grant, isWider, rootsOf, type TurnOverrides } from '../model/index.ts'

/** What is kept of the overrides of a message. */
type KeptOverrides = TurnOverrides & {
  /** The widest sandbox of its sender. A message before it can have brought a wider one for all turns after it. */
  readonly atMost?: Ceiling['sandbox']
}

export function keptOverrides(
  overrides: TurnOverrides | undefined,
  grant: Grant | null | undefined,
): KeptOverrides | undefined {
  if (!grant || grant.ceiling.sandbox === 'danger-full-access') return overrides
  return { ...overrides, atMost: grant.ceiling.sandbox }
}

/** The rights that a message brings by itself. */
export function wants(message: StoredMessage): Pick<TurnOverrides, 'sandbox' | 'approvalPolicy'> {
  const { sandbox, approvalPolicy } = overridesOf(message)
  return { sandbox, approvalPolicy }
}

/** What a message asks of codex. Its id goes along, so that it can be found in the history of the thread. */
export function turnRequest(
  row: StoredTask,
  message: StoredMessage,
): { input: TurnInput; options: TurnOptions } {
  const overrides = overridesOf(message)
  const { model, effort, approvalPolicy } = overrides
  const policy = JSON.parse(row.policy) as ThreadPolicy
  const { network } = policy
  const sandbox = overrides.sandbox ?? clamped(policy, overrides)
  const outputSchema = outputSchemaOf(row, message)
  const roots = rootsOf(row)
  const options = {
    clientUserMessageId: message.id,
    ...(row.timeout_ms !== null && { timeoutMs: row.timeout_ms }),
    ...(outputSchema !== null && { outputSchema }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(approvalPolicy !== undefined && { approvalPolicy }),
    ...(sandbox !== undefined && { sandbox }),
    ...(network !== undefined && { network }),
    // In every turn: another client may have changed them.
    ...(roots !== null && { runtimeWorkspaceRoots: roots }),
  }
  return { input: JSON.parse(message.input ?? '[]') as TurnInput, options: options as TurnOptions }
}

/** What the answer to a message must look like; null when anything will do. */
export function outputSchemaOf(
  row: Pick<StoredTask, 'output_schema'>,
  message: Pick<StoredMessage, 'overrides'>,
): unknown {
  const own = overridesOf(message).outputSchema
  if (own !== undefined) return own
  return row.output_schema === null ? null : JSON.parse(row.output_schema)
}

/** Undefined: what is in force now will do. */
function clamped(
  { sandbox = 'read-only' }: ThreadPolicy,
  { atMost }: KeptOverrides,
): Ceiling['sandbox'] | undefined {
  return atMost !== undefined && isWider(sandbox, atMost) ? atMost : undefined
}

function overridesOf({ overrides }: Pick<StoredMessage, 'overrides'>): KeptOverrides {
  return overrides === null ? {} : (JSON.parse(overrides) as KeptOverrides)
}
