import type { Approval } from '../api/contract.ts'
import { useKeys } from '../shell/keys.ts'
import type { useAnswer } from './use-answer.ts'

interface Options {
  readonly answer: ReturnType<typeof useAnswer>
  /** Of several questions the keys are for one. */
  readonly isChosen: boolean
}

/** `a` allows it once, `d` denies it, where it offers that. */
export function useAnswerKeys({ status, question }: Approval, { answer, isChosen }: Options): void {
  const isReady = isChosen && status === 'pending' && !answer.isPending
  const give = (word: 'once' | 'deny') =>
    isReady && question.choices.some((choice) => choice.word === word)
      ? () => answer.mutate({ answer: word })
      : undefined
  useKeys({ a: give('once'), d: give('deny') })
}
