// What is asked, in full: nobody should have to open something to know what they allow.
import type { Question } from '../api/contract.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { changeDiff } from '../diff/parse-diff.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { OutputBlock } from '../ui/output-block.tsx'
import { commandText } from './command-text.ts'

export function QuestionBody({ question }: { readonly question: Question }) {
  switch (question.kind) {
    case 'command':
      return <CommandBody question={question} />
    case 'file-change':
      return (
        <>
          <DiffView files={question.changes.map((change) => changeDiff({ ...change, cwd: question.cwd }))} />
          {question.grantRoot && <Fact name="Asks to write under" value={question.grantRoot} />}
        </>
      )
    case 'permissions':
      return (
        <details className="text-[13px] text-soft">
          <summary>Exactly</summary>
          <OutputBlock label="Permissions asked for" text={JSON.stringify(question.permissions, null, 2)} />
        </details>
      )
    case 'mcp-tool':
      return (
        <>
          {question.description && <p className="text-sm text-soft">{question.description}</p>}
          <OutputBlock label="Arguments" text={JSON.stringify(question.arguments ?? {}, null, 2)} />
        </>
      )
    case 'elicitation':
      return (
        <>
          <p className="text-sm">{question.message}</p>
          {question.url && (
            <p className="text-sm">
              It wants you to visit <code className="break-all">{question.url}</code>
              <CopyButton text={question.url} label="Copy the address" />
            </p>
          )}
        </>
      )
    case 'user-input':
      return null
    default:
      return <OutputBlock label="The question as codex sent it" text={JSON.stringify(question, null, 2)} />
  }
}

function CommandBody({ question }: { readonly question: Extract<Question, { kind: 'command' }> }) {
  const text = commandText(question.command, question.argv)
  return (
    <>
      <div className="flex items-start gap-1 rounded-lg bg-sunk py-1 pr-1 pl-3">
        <pre className="min-w-0 flex-1 py-1.5 text-[13px] leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <span className="select-none text-soft">$ </span>
          {text}
        </pre>
        <CopyButton text={text} label="Copy the command" />
      </div>
      {text !== question.command && (
        <details className="text-[13px] text-soft">
          <summary>Exactly</summary>
          <code className="mt-1 block [overflow-wrap:anywhere]">
            {question.argv ? JSON.stringify(question.argv) : question.command}
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
      <code className="[overflow-wrap:anywhere]">{value}</code>
    </p>
  )
}
