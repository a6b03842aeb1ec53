// The answers a question can have, each with what it does.
import { type MouseEvent, type ReactNode, useState } from 'react'
import type { Approval, Word } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { INPUT } from '../ui/field.tsx'
import { isYes, wordText } from './answer-text.ts'

export interface Given {
  readonly word: Word
  readonly why?: string
  /** With `always`. */
  readonly rule?: string
}

interface Props {
  readonly approval: Approval
  readonly isBusy: boolean
  /** Whether a word can be given as the card is now: ticked, shown whole. */
  readonly canGive: (word: Word) => boolean
  /** The card has only just come or moved. */
  readonly isSettling: boolean
  /** The key that gives a word, while it would. */
  readonly keyFor: (word: Word) => string | null
  readonly onAnswer: (given: Given) => void
  /** Another row, for what the words cannot give. */
  readonly lastRow?: ReactNode
  readonly children?: ReactNode
}

export function AnswerBar(props: Props) {
  const { approval, isBusy, canGive, isSettling, keyFor, onAnswer, lastRow, children } = props
  const [why, setWhy] = useState('')
  const [isRuleOpen, setRuleOpen] = useState(false)
  const [rule, setRule] = useState(approval.proposedRule ?? '')
  const reason = why.trim() === '' ? {} : { why: why.trim() }
  const give = (word: Word) => {
    if (word === 'always' && approval.proposedRule !== null) setRuleOpen(true)
    else onAnswer({ word, ...reason })
  }
  /** By a key on the button it counts, too, unless the button is out of sight. */
  const press = (word: Word) => (event: MouseEvent<HTMLButtonElement>) => {
    if (event.detail > 0 || isInSight(event.currentTarget)) give(word)
  }
  return (
    <div data-answers className="flex flex-col gap-3">
      {children}
      <ul className="flex flex-col gap-1.5">
        {approval.question.choices.map(({ word, effect }) => (
          <AnswerRow key={word} effect={effect}>
            <Button
              tone={word === 'once' ? 'main' : isYes(word) ? 'plain' : 'danger'}
              disabled={isBusy || !canGive(word)}
              aria-disabled={isSettling || undefined}
              onClick={press(word)}
              className={ANSWER_BUTTON}
            >
              {wordText(word, approval.question)}
              <KeyHint name={keyFor(word)} />
            </Button>
          </AnswerRow>
        ))}
        {lastRow}
      </ul>
      {isRuleOpen && (
        <div className="flex flex-col gap-2 rounded-lg border border-line bg-sunk p-3">
          <label className="flex flex-col gap-1 text-[13px]">
            <span>The standing rule this makes. It holds for all tasks; make it narrower or wider.</span>
            <input
              className={`${INPUT} font-mono`}
              value={rule}
              onChange={(event) => setRule(event.target.value)}
            />
          </label>
          <div className="flex gap-2">
            <Button
              tone="main"
              size="small"
              disabled={isBusy || rule.trim() === ''}
              aria-disabled={isSettling || undefined}
              onClick={() => onAnswer({ word: 'always', rule: rule.trim(), ...reason })}
            >
              Allow and add the rule
            </Button>
            <Button tone="quiet" size="small" onClick={() => setRuleOpen(false)}>
              Back
            </Button>
          </div>
        </div>
      )}
      <input
        className={INPUT}
        aria-label="Why, for the audit"
        placeholder="Why (optional, kept in the audit)"
        value={why}
        maxLength={2000}
        onChange={(event) => setWhy(event.target.value)}
      />
    </div>
  )
}

export const ANSWER_BUTTON = 'w-full sm:w-48'

/** A button and what it does. */
export function AnswerRow({
  effect,
  children,
}: {
  readonly effect: ReactNode
  readonly children: ReactNode
}) {
  return (
    <li className="flex flex-col gap-x-3 gap-y-0.5 sm:flex-row sm:items-center">
      {children}
      <span className="min-w-0 text-[13px] text-soft [overflow-wrap:anywhere]">{effect}</span>
    </li>
  )
}

function isInSight(button: Element): boolean {
  const { left, right, top, bottom } = button.getBoundingClientRect()
  return button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
}

function KeyHint({ name }: { readonly name: string | null }) {
  if (name === null) return null
  return (
    <kbd className="rounded border border-current/40 px-1 text-[11px] leading-4 font-normal max-sm:hidden">
      <span className="sr-only">, key </span>
      {name}
    </kbd>
  )
}
