// The answers a question can have, each with what it does and for how long.
import { useState } from 'react'
import type { Approval, Decide, Word } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { INPUT } from '../ui/field.tsx'
import { isYes, WORD_TEXT } from './answer-text.ts'

interface Props {
  readonly approval: Approval
  readonly isBusy: boolean
  readonly onAnswer: (decide: Decide) => void
}

const LASTS = { now: 'this once', turn: 'until the turn ends', thread: 'while this thread lasts' }

export function AnswerBar({ approval, isBusy, onAnswer }: Props) {
  const [why, setWhy] = useState('')
  const [isRuleOpen, setRuleOpen] = useState(false)
  const [rule, setRule] = useState(approval.proposedRule ?? '')
  const reason = why.trim() === '' ? {} : { why: why.trim() }
  const give = (word: Word) => {
    if (word === 'always' && approval.proposedRule !== null) setRuleOpen(true)
    else onAnswer({ answer: word, ...reason })
  }
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-1.5">
        {approval.question.choices.map(({ word, effect, lasts }) => (
          <li key={word} className="flex flex-col gap-x-3 gap-y-0.5 sm:flex-row sm:items-center">
            <Button
              tone={word === 'once' ? 'main' : word === 'deny' || word === 'cancel' ? 'danger' : 'plain'}
              disabled={isBusy}
              onClick={() => give(word)}
              className="w-full sm:w-44"
            >
              {WORD_TEXT[word] ?? word}
            </Button>
            <span className="min-w-0 text-[13px] text-soft [overflow-wrap:anywhere]">
              {effect}
              {isYes(word) && lasts !== 'for good' && (
                <span className="whitespace-nowrap"> · {LASTS[lasts] ?? lasts}</span>
              )}
            </span>
          </li>
        ))}
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
              onClick={() => onAnswer({ answer: 'always', rule: rule.trim(), ...reason })}
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
