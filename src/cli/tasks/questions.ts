// The questions of a task, put to the person at the terminal; whoever answers first, here or elsewhere, wins.
import type { Approval, Decide, DrawbridgeClient } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import { errorText } from '../process/index.ts'
import { type Person, tooLateText } from '../prompts/index.ts'

export interface QuestionsOptions {
  readonly client: DrawbridgeClient
  readonly person: Pick<Person, 'ask'>
  readonly tell: (line: string) => void
  /** What the person is told about who asks; nothing where that is plain. */
  readonly nameOf?: (approval: Approval) => Promise<string>
}

export class Questions {
  readonly #options: QuestionsOptions
  readonly #open = new Map<string, AbortController>()

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Of a `drawbridge/approval` event. */
  hear({ approvalId, status }: { readonly approvalId: string; readonly status: string }): void {
    if (status === 'pending') void this.ask(approvalId)
    else this.#open.get(approvalId)?.abort(new Error('it was answered elsewhere'))
  }

  /** Resolves when the question is off the screen; never rejects. */
  async ask(approvalId: string): Promise<void> {
    if (this.#open.has(approvalId)) return
    const { client, person, tell, nameOf } = this.#options
    const controller = new AbortController()
    this.#open.set(approvalId, controller)
    try {
      const approval = await client.approval(approvalId)
      if (approval.status !== 'pending') return
      const { signal } = controller
      const asking = { signal, ...(nameOf && { from: await nameOf(approval) }) }
      const answer = await person.ask(approval.question as Question, asking)
      await client.answer(approvalId, { answer: answer as Decide['answer'] })
    } catch (error) {
      if (!controller.signal.aborted) tell(`! ${whyNot(error)}`)
    } finally {
      this.#open.delete(approvalId)
    }
  }
}

function whyNot(error: unknown): string {
  const { approval } = Object(Object(error).details) as { approval?: Approval }
  return approval ? tooLateText(approval) : `the answer did not reach the service: ${errorText(error)}`
}
