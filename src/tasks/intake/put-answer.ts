import { type Answer, answerText } from '../../codex/index.ts'
import { type Change, hasEnded, type TaskStatus, taskRow } from '../../store/index.ts'
import type { Approval } from '../model/index.ts'
import type { Announcer } from '../notices/index.ts'
import type { Messages } from './messages.ts'

/** In the change that answers a question codex does not wait for: the answer is a message. Returns how to send it. */
export async function putAnswer(
  change: Change,
  { approval: { taskId, question, actor }, answer }: { approval: Approval; answer: Answer },
  { messages, announcer }: { messages: Pick<Messages, 'putAnswer'>; announcer: Announcer },
): Promise<() => Promise<void>> {
  if (question.kind === 'user-input' && typeof answer === 'object' && 'answers' in answer) {
    const input = answerText(question, answer.answers)
    return messages.putAnswer(change, taskId, { input, actor: actor ?? '' })
  }
  const row = await taskRow(change.db, taskId)
  const hasNothingLeft = row !== undefined && hasEnded(row.status as TaskStatus)
  if (hasNothingLeft) await announcer.announce(change, { cause: 'ended', taskId })
  return async () => {}
}
