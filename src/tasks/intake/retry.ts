// When a yes cannot give a command what it needs: the person says no, gives it for the turns to come, and codex goes on.
import type { ThreadPolicy } from '../../codex/index.ts'
import { type StoredTask, taskRow, updateTask, type Work } from '../../store/index.ts'
import type { TrustOf } from '../link/index.ts'
import { type Approval, type Decide, TaskError } from '../model/index.ts'
import type { Messages } from './messages.ts'

/** The policy of a task whose commands reach the network, or no longer do. */
export function withNetwork(row: Pick<StoredTask, 'policy'>, network: boolean): string {
  return JSON.stringify({ ...(JSON.parse(row.policy) as ThreadPolicy), network })
}

/** In the change that answers: what the turns to come are given, and the message that begins the next. */
export function retryChange(
  approval: Approval,
  { answer, retry }: Decide,
  { messages, actor, trustOf }: { messages: Pick<Messages, 'queue'>; actor: string; trustOf: TrustOf },
): Work<void> {
  const { question, taskId } = approval
  if (question.kind !== 'command' || (answer !== 'cancel' && answer !== 'deny'))
    throw new TaskError(
      'bad-request',
      'only a command that is answered no can be tried again in another turn',
    )
  return async (change) => {
    const row = await taskRow(change.db, taskId)
    if (!row) return
    const { trustedRoot } = trustOf({ cwd: row.cwd, codexHome: row.codex_home, host: row.host })
    if (!retry?.network && trustedRoot === undefined)
      throw new TaskError('bad-request', 'nobody trusts the folder yet: another try would end the same way')
    if (retry?.network) await updateTask(change.db, taskId, { policy: withNetwork(row, true) })
    const given = retry?.network ? 'Commands reach the network now' : 'This folder is trusted now'
    const input = `${given}. Try again what you were about to run: ${question.command}`
    await messages.queue(change, row, { input, actor })
  }
}
