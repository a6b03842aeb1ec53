// Asks the approver of a question, with a deadline, and records the decision.
import { setTimeout as delay } from 'node:timers/promises'
import { DrawbridgeError } from '../errors/index.ts'
import type { Decision as RuleDecision } from '../rules/index.ts'
import { type Decided, type Decision, decision, defaulted, keptDecision } from './decision.ts'
import type { Answer, Question } from './question.ts'

export interface ApproverContext {
  /** Aborts when the question no longer stands: withdrawn by codex, turn over, connection gone. */
  readonly signal: AbortSignal
  /** What the thread's rules said, which was to ask; null when it has none. */
  readonly ruling: RuleDecision | null
}

/** Answers a question. What it throws, and silence past the deadline, mean no. */
export type Approver = (
  question: Question,
  context: ApproverContext,
) => Answer | Decided | Promise<Answer | Decided>

/** `onDecision` threw. What was decided stands. */
export interface DecisionUnheard {
  readonly type: 'decision-unheard'
  readonly decision: Decision
  readonly error: unknown
}

export interface DeciderOptions {
  /** Who answers this question, rules or a person. */
  readonly approverOf: (question: Question) => Approver
  /** How long that may take; null: as long as the question stands. */
  readonly approvalTimeoutMs: number | null
  readonly onDecision: (decision: Decision) => void
  readonly onUnheard: (unheard: DecisionUnheard) => void
}

export class Decider {
  readonly #options: DeciderOptions

  constructor(options: DeciderOptions) {
    this.#options = options
  }

  /**
   * What `apply` makes of the answer. Rejects when there is none that counts: nobody to ask, late, failed, not offered,
   * or withdrawn through the signal. Either way the decision is recorded.
   */
  async decide<T>(
    question: Question,
    { signal, apply }: { signal: AbortSignal; apply: (answer: Answer) => T },
  ): Promise<T> {
    try {
      const made = decision(question, await this.#ask(question, signal))
      const applied = apply(made.answer)
      this.#record(keptDecision(made))
      return applied
    } catch (error) {
      this.#record(defaulted(question, error, { isWithdrawn: signal.aborted }))
      throw error
    }
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Answer | Decided> {
    const given = this.#options.approverOf(question)(question, { signal, ruling: null })
    const isPromised = typeof given === 'object' && 'then' in given
    return isPromised ? this.#inTime(given, signal) : given
  }

  /** Rejects when the approver takes too long, or when there is nothing left to decide. */
  async #inTime<T>(given: Promise<T>, signal: AbortSignal): Promise<T> {
    given.catch(() => {})
    const withdrawn = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    const { approvalTimeoutMs } = this.#options
    if (approvalTimeoutMs === null) return Promise.race([given, withdrawn])
    const timer = new AbortController()
    const late = delay(approvalTimeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new DrawbridgeError(`nobody answered within ${approvalTimeoutMs} ms`, {
        code: 'approval-timed-out',
      })
    })
    return Promise.race([given, withdrawn, late]).finally(() => timer.abort())
  }

  #record(made: Decision): void {
    const unheard = (error: unknown) =>
      this.#options.onUnheard({ type: 'decision-unheard', decision: made, error })
    try {
      const heard: unknown = this.#options.onDecision(made)
      if (heard instanceof Promise) heard.catch(unheard)
    } catch (error) {
      unheard(error)
    }
  }
}
