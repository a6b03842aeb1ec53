import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { visible } from '../../../src/util/visible-text.ts'
import type { Approval, Decide, Question, Word } from '../api/contract.ts'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Ago } from '../ui/time.tsx'
import { AnswerBar, type Given } from './answer-bar.tsx'
import { isYes, KIND_TEXT } from './answer-text.ts'
import { Asker } from './asker.tsx'
import type { GateState } from './card-gate.ts'
import { MissingNetwork } from './missing-network.tsx'
import { PermissionsForm } from './permissions-form.tsx'
import { QuestionBody } from './question-body.tsx'
import { SchemaForm } from './schema-form.tsx'
import { SettledNote } from './settled-note.tsx'
import { useAnswer } from './use-answer.ts'
import { useCardGate } from './use-card-gate.ts'
import { useCardKeys } from './use-card-keys.ts'
import { decisionFor, useGrant } from './use-grant.ts'
import { UserInputForm } from './user-input-form.tsx'

interface Props {
  readonly approval: Approval
  /** Inside its task the task need not be named. */
  readonly isInTask?: boolean
  /** It is given the focus when it comes: an address led to it. */
  readonly isWanted?: boolean
}

const KEYS: Readonly<Partial<Record<Word, string>>> = { once: 'a', deny: 'd' }

export function QuestionCard({ approval, isInTask = false, isWanted = false }: Props) {
  const { question } = approval
  const element = useRef<HTMLElement>(null)
  const isOpen = approval.status === 'pending'
  const gate = useCardGate(element, { isOpen, content: JSON.stringify(question) })
  const grant = useGrant(question)
  const answer = useAnswer(approval)
  const [hasHidden, setHidden] = useState(false)
  const canGive = (word: Word) =>
    question.choices.some((choice) => choice.word === word) &&
    !(hasHidden && isYes(word)) &&
    decisionFor(question, word, grant) !== null
  /** Not while it comes, changes or moves: it was meant for what was there before. */
  const send = (decide: Decide) => {
    if (!gate.look().isSettling) answer.mutate(decide)
  }
  const give = ({ word, ...more }: Given) => {
    const decision = decisionFor(question, word, grant)
    if (decision && canGive(word)) send({ ...decision, ...more })
  }
  const byKey = (word: Word) =>
    isOpen && !answer.isPending && canGive(word) ? () => give({ word }) : undefined
  const [, go] = useLocation()
  useCardKeys(element, { look: gate.look, actions: { a: byKey('once'), d: byKey('deny') } })
  useKeptFocus(element, isOpen)
  useEffect(() => {
    if (!isWanted) return
    element.current?.focus({ preventScroll: true })
    element.current?.scrollIntoView({ block: 'nearest' })
  }, [isWanted])
  return (
    <article
      ref={element}
      id={approval.id}
      tabIndex={-1}
      data-question={isOpen ? 'open' : 'settled'}
      aria-label={visible(question.title)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === element.current) go(`/tasks/${approval.taskId}`)
      }}
      className={classNames(
        'flex scroll-my-4 flex-col gap-3 rounded-xl border border-line bg-panel p-4 outline-none',
        isOpen && 'focus-within:border-accent focus-within:ring-1 focus-within:ring-accent',
        !isOpen && 'opacity-80',
      )}
    >
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 text-[15px] font-semibold [overflow-wrap:anywhere]">{headline(approval)}</h2>
        <span className="ml-auto shrink-0 text-xs text-soft">
          <Ago at={approval.createdAt} />
        </span>
      </header>
      <Asker approval={approval} isInTask={isInTask} />
      {question.reason && (
        <p className="border-l-2 border-wait pl-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {visible(question.reason)}
        </p>
      )}
      <QuestionBody question={question} onHidden={setHidden} />
      {question.kind === 'permissions' && (
        <PermissionsForm permissions={question.permissions} grant={grant} isOpen={isOpen} />
      )}
      {isOpen ? (
        <Answers
          question={question}
          state={{ isBusy: answer.isPending, isSettling: gate.isSettling }}
          onSend={send}
        >
          <AnswerBar
            approval={approval}
            isBusy={answer.isPending}
            canGive={canGive}
            isSettling={gate.isSettling}
            keyFor={(word) => (gate.keys === 'ready' && byKey(word) ? (KEYS[word] ?? null) : null)}
            onAnswer={give}
            lastRow={
              <MissingNetwork
                approval={approval}
                isBusy={answer.isPending}
                isSettling={gate.isSettling}
                onSend={send}
              />
            }
          >
            <KeyNote keys={gate.keys} />
          </AnswerBar>
        </Answers>
      ) : (
        <SettledNote approval={approval} />
      )}
      {answer.error && isOpen && <ErrorNote error={answer.error} />}
    </article>
  )
}

/** Focus that was on a button of the card stays with the card when the buttons go. */
function useKeptFocus(card: { readonly current: HTMLElement | null }, isOpen: boolean): void {
  const hadFocus = useRef(false)
  if (isOpen) hadFocus.current = card.current?.contains(document.activeElement) ?? false
  useEffect(() => {
    if (!isOpen && hadFocus.current && document.activeElement === document.body)
      card.current?.focus({ preventScroll: true })
  }, [card, isOpen])
}

const KEY_NOTES: Readonly<Record<GateState['keys'], string>> = {
  off: 'Keys are for the question that has the focus: j and k move it, a allows once, d denies.',
  unseen: 'To answer it with a key, scroll through all of it, down to the answers.',
  ready: 'Keys are for this question: a allows once, d denies.',
}

/** Always one line: a card that grew or shrank with it would not be the one that was read. */
function KeyNote({ keys }: Pick<GateState, 'keys'>) {
  return (
    <p
      className={classNames(
        'truncate text-[13px] max-sm:hidden',
        keys === 'ready' ? 'text-accent' : keys === 'unseen' ? 'text-wait' : 'text-soft',
      )}
    >
      {KEY_NOTES[keys]}
    </p>
  )
}

interface AnswersProps {
  readonly question: Question
  readonly state: { readonly isBusy: boolean; readonly isSettling: boolean }
  readonly onSend: (decide: Decide) => void
  readonly children: ReactNode
}

function Answers({ question, state, onSend, children }: AnswersProps) {
  return (
    <>
      {question.kind === 'user-input' && (
        <UserInputForm
          questions={question.questions}
          {...state}
          onSubmit={(answers) => onSend({ answer: { answers } })}
        />
      )}
      {question.kind === 'elicitation' && question.schema !== null && (
        <SchemaForm
          schema={question.schema}
          {...state}
          onSubmit={(content) => onSend({ answer: { content } })}
        />
      )}
      {children}
    </>
  )
}

function headline({ kind, question }: Approval): string {
  if (question.kind === 'file-change')
    return question.changes.length === 1 ? 'Change a file' : `Change ${question.changes.length} files`
  if (question.kind === 'mcp-tool')
    return visible(`Use ${question.server}${question.tool ? ` · ${question.tool}` : ''}`)
  if (question.kind === 'elicitation') return visible(`${question.server} asks`)
  return KIND_TEXT[kind] ?? kind
}
