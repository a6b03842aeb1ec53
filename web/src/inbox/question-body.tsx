// What is asked, in full: nobody should have to open something to know what they allow.
import { commandText } from '../../../src/util/command-text.ts'
import { visible } from '../../../src/util/visible-text.ts'
import type { Question } from '../api/contract.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Exact } from '../ui/exact.tsx'
import { OutputBlock } from '../ui/output-block.tsx'
import { ChangesBody } from './changes-body.tsx'

interface Props {
  readonly question: Question
  /** Told when something of it is not shown, or is again. */
  readonly onHidden: (isHidden: boolean) => void
}

export function QuestionBody({ question, onHidden }: Props) {
  switch (question.kind) {
    case 'command':
      return <CommandBody question={question} />
    case 'file-change':
      return (
        <>
          <ChangesBody question={question} onHidden={onHidden} />
          {question.grantRoot && <Fact name="Asks to write under" value={question.grantRoot} />}
        </>
      )
    case 'permissions':
      return null
    case 'mcp-tool':
      return (
        <>
          {question.description && (
            <p className="text-sm whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">
              {visible(question.description)}
            </p>
          )}
          <OutputBlock isWhole label="Arguments" text={JSON.stringify(question.arguments ?? {}, null, 2)} />
        </>
      )
    case 'elicitation':
      return (
        <>
          <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{visible(question.message)}</p>
          {question.url && (
            <p className="text-sm">
              It wants you to visit{' '}
              <code className="break-all">
                <Exact text={question.url} />
              </code>
              <CopyButton text={question.url} label="Copy the address" />
            </p>
          )}
        </>
      )
    case 'user-input':
      return null
    default:
      return (
        <OutputBlock isWhole label="The question as codex sent it" text={JSON.stringify(question, null, 2)} />
      )
  }
}

function CommandBody({ question }: { readonly question: Extract<Question, { kind: 'command' }> }) {
  const text = commandText(question.command)
  return (
    <>
      {text !== '' && (
        <div className="flex items-start gap-1 rounded-lg bg-sunk py-1 pr-1 pl-3">
          <pre className="min-w-0 flex-1 py-1.5 text-[13px] leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
            <span className="select-none text-soft">$ </span>
            <Exact text={text} />
          </pre>
          <CopyButton text={text} label="Copy the command" />
        </div>
      )}
      {text !== question.command && (
        <details className="text-[13px] text-soft">
          <summary>Exactly</summary>
          <code className="mt-1 block [overflow-wrap:anywhere]">
            <Exact text={question.command} />
          </code>
        </details>
      )}
      {question.network != null && <Fact name="Network" value={JSON.stringify(question.network)} />}
      {question.additionalPermissions != null && (
        <Fact name="Further permissions" value={JSON.stringify(question.additionalPermissions)} />
      )}
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <p className="text-[13px]">
      <span className="text-soft">{name}: </span>
      <code className="[overflow-wrap:anywhere]">
        <Exact text={value} />
      </code>
    </p>
  )
}
