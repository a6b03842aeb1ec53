import type { ThreadPolicy, TurnInput, TurnOptions } from '../../codex/index.ts'
import type { StoredMessage, StoredTask } from '../../store/index.ts'
import type { TurnOverrides } from '../model/index.ts'

/** What a message asks of codex. Its id goes along, so that it can be found in the history of the thread. */
export function turnRequest(
  row: StoredTask,
  message: StoredMessage,
): { input: TurnInput; options: TurnOptions } {
  const { model, effort, approvalPolicy, sandbox } = overridesOf(message)
  const { network } = JSON.parse(row.policy) as ThreadPolicy
  const outputSchema = outputSchemaOf(row, message)
  const options = {
    clientUserMessageId: message.id,
    ...(row.timeout_ms !== null && { timeoutMs: row.timeout_ms }),
    ...(outputSchema !== null && { outputSchema }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(approvalPolicy !== undefined && { approvalPolicy }),
    ...(sandbox !== undefined && { sandbox }),
    ...(network !== undefined && { network }),
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

function overridesOf({ overrides }: Pick<StoredMessage, 'overrides'>): TurnOverrides {
  return overrides === null ? {} : (JSON.parse(overrides) as TurnOverrides)
}
