// Asking the user of the client while a call waits, in a form that the client shows. Never the only way to answer: whatever
// comes of it, an open question stands in the result of the call, and people can answer it elsewhere meanwhile.
import { DrawbridgeError } from '../codex/index.ts'
import type { Approval, OwnEvents, Task } from '../tasks/index.ts'
import type { McpCaller } from './mcp-caller.ts'
import { type QuestionForm, questionForm } from './text/question-form.ts'

/** Shows a form to the user of the client. Rejects when the time is up or the signal says so, and takes the form back. */
export type Elicit = (
  form: Pick<QuestionForm, 'message' | 'requestedSchema'>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<FormReply>

export interface FormReply {
  readonly action: string
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

/** The user at the other end of one connection. */
export interface ClientUser {
  readonly elicit: Elicit
  /** Questions that the user was asked: each one once, however it ended. */
  readonly asked: Set<string>
}

interface Asking {
  readonly user: ClientUser
  readonly caller: McpCaller
  readonly timeoutMs: number
}

/** Whether there was a question to ask. It may be open still. */
export async function askUser(
  task: Task,
  { user, caller, timeoutMs }: Asking,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  if (task.openApprovals === 0 || timeoutMs <= 0 || signal.aborted || !caller.mayAnswer(task)) return false
  const { items } = await caller.tasks.approvals({ taskId: task.id, status: 'pending' })
  for (const approval of items) {
    const form = user.asked.has(approval.id) ? null : questionForm(approval, task)
    if (form === null) continue
    user.asked.add(approval.id)
    await ask(approval, { form, after: task.lastSeq, user, caller, timeoutMs }, { signal })
    return true
  }
  return false
}

async function ask(
  approval: Approval,
  { form, after, user, caller, timeoutMs }: Asking & { readonly form: QuestionForm; readonly after: number },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { message, requestedSchema } = form
  const ending = new AbortController()
  const until = AbortSignal.any([signal, ending.signal])
  void isSettled(approval, { after, tasks: caller.tasks }, { signal: until }).then(
    (settled) => settled && ending.abort(),
    // The time is bounded without it.
    () => undefined,
  )
  try {
    const reply = await user.elicit({ message, requestedSchema }, { timeoutMs, signal: until })
    if (!until.aborted) await answerByForm(approval, { form, reply, caller }, { signal })
  } catch (error) {
    // No answer is no error: timed out, taken back, or a client that cannot do what it said.
    if (error instanceof DrawbridgeError) caller.onError(error)
  } finally {
    ending.abort()
  }
}

/** Only what was accepted and is offered is an answer. The first one counts, whoever gave it. */
export async function answerByForm(
  { id }: Approval,
  { form, reply, caller }: { form: QuestionForm; reply: FormReply; caller: McpCaller },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const answer = reply.action === 'accept' && reply.content ? form.answerOf(reply.content) : null
  if (answer === null) return
  const why = "answered by the client's user, asked through the client"
  try {
    await caller.tasks.decide(id, { answer, why }, { ...caller.by, signal })
  } catch (error) {
    if (!(error instanceof DrawbridgeError) || error.code !== 'approval-settled') throw error
  }
}

/** Resolves with true when somebody else has answered, or the question no longer stands. */
async function isSettled(
  { id, taskId }: Approval,
  { after, tasks }: { after: number; tasks: McpCaller['tasks'] },
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  for await (const { method, frame } of tasks.follow(taskId, { after, signal })) {
    if (method !== 'drawbridge/approval') continue
    const { params } = JSON.parse(frame) as { params: OwnEvents['drawbridge/approval'] }
    if (params.approvalId === id && params.status !== 'pending') return true
  }
  return false
}
