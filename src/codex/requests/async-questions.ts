// The open ones of a client's questions that codex does not wait for. They outlive their turn; what ends one is its
// answer, another message of the user, or the end of its thread or connection.
import type { CodexNotification } from '../protocol/index.ts'
import { answerText, asyncQuestion } from './async-question.ts'
import type { Decider } from './decider.ts'
import type { Answer, UserInputQuestion } from './question.ts'
import { isNobody, type RequestIncident, withdrawn } from './request-incident.ts'
import { checkedAnswers } from './user-input.ts'

export interface AsyncQuestionsOptions {
  readonly decider: Pick<Decider, 'decide'>
  /** A thread that is open here; null for others. Sub-agents have no way to ask like this (0.166). */
  readonly threadOf: (threadId: string) => AnsweredThread | null
  readonly onIncident: (incident: RequestIncident) => void
}

/** What it needs of a thread. */
interface AnsweredThread {
  /** Gives it a message of the user, under this id. */
  answer(text: string, options: { clientMessageId: string }): Promise<void>
  /** Hears of every question, by when it and its answer are dealt with. */
  awaitAnswer(settled: Promise<void>): void
}

/** How the messages that answer are known when codex repeats them. */
const ANSWER = 'answer to '

export class AsyncQuestions {
  readonly #options: AsyncQuestionsOptions
  readonly #open = new Map<UserInputQuestion, AbortController>()

  constructor(options: AsyncQuestionsOptions) {
    this.#options = options
  }

  /** Called on the reader for every notification. */
  observe({ method, params }: CodexNotification): void {
    if (method === 'item/completed') this.#item(params)
    else if (method === 'thread/closed' || method === 'thread/deleted' || method === 'thread/archived')
      this.withdraw(params?.threadId, withdrawn('its thread was closed'))
  }

  withdraw(threadId: string, reason: Error): void {
    for (const [question, controller] of this.#open)
      if (question.threadId === threadId) controller.abort(reason)
  }

  withdrawAll(reason: Error): void {
    for (const controller of this.#open.values()) controller.abort(reason)
  }

  #item(params: Extract<CodexNotification, { method: 'item/completed' }>['params']): void {
    const { item, threadId, turnId } = params ?? {}
    if (item?.type === 'userMessage' && !String(item.clientId).startsWith(ANSWER))
      return this.withdraw(threadId, withdrawn('the user wrote something else'))
    const question = asyncQuestion(item, { threadId, turnId })
    const thread = question && this.#options.threadOf(threadId)
    if (!thread) return
    const controller = new AbortController()
    this.#open.set(question, controller)
    thread.awaitAnswer(this.#ask(question, { signal: controller.signal, thread }))
  }

  async #ask(
    question: UserInputQuestion,
    { signal, thread }: { signal: AbortSignal; thread: AnsweredThread },
  ): Promise<void> {
    const { decider, onIncident } = this.#options
    try {
      await Promise.resolve() // off the reader
      const text = await decider.decide(question, { signal, apply: (answer) => messageFor(question, answer) })
      // From here on it is its own answer that comes.
      this.#open.delete(question)
      if (text !== null) await this.#send(question, { text, thread })
    } catch (error) {
      const asked = { method: 'item/completed', params: question.params }
      if (signal.aborted) onIncident({ type: 'question-withdrawn', ...asked, question, reason: error })
      else if (!isNobody(error)) onIncident({ type: 'request-refused', ...asked, error })
    } finally {
      this.#open.delete(question)
    }
  }

  async #send(
    question: UserInputQuestion,
    { text, thread }: { text: string; thread: AnsweredThread },
  ): Promise<void> {
    try {
      await thread.answer(text, { clientMessageId: `${ANSWER}${question.itemId}` })
    } catch (error) {
      this.#options.onIncident({ type: 'answer-unsent', question, error })
    }
  }
}

/** null: nothing is to be sent. */
function messageFor(question: UserInputQuestion, answer: Answer): string | null {
  return answer === 'deny' ? null : answerText(question, checkedAnswers(answer, question.questions))
}
