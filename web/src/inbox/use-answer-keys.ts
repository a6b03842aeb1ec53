import { useRef } from 'react'
import type { Approval } from '../api/contract.ts'
import { useKeys } from '../shell/keys.ts'
import type { useAnswer } from './use-answer.ts'

interface Options {
  readonly answer: ReturnType<typeof useAnswer>
  /** Of several questions the keys are for one. */
  readonly isChosen: boolean
}

/** Nobody has read a question in less. */
const UNREAD_MS = 500

/** `a` allows it once, `d` denies it, where it offers that; not while it has only just come under the hand. */
export function useAnswerKeys({ status, question }: Approval, { answer, isChosen }: Options): void {
  const chosenAt = useRef<number | null>(null)
  if (!isChosen) chosenAt.current = null
  else chosenAt.current ??= performance.now()
  const isReady = isChosen && status === 'pending' && !answer.isPending
  const give = (word: 'once' | 'deny') => {
    if (!isReady || !question.choices.some((choice) => choice.word === word)) return undefined
    return () => {
      if (performance.now() - (chosenAt.current ?? 0) > UNREAD_MS) answer.mutate({ answer: word })
    }
  }
  useKeys({ a: give('once'), d: give('deny') })
}
