import { SquareTerminal } from 'lucide-react'
import { useContext } from 'react'
import { commandText } from '../../../../src/util/command-text.ts'
import { useTask } from '../../api/queries.ts'
import { numberOf, textOf } from '../../transcript/params.ts'
import type { ItemRow } from '../../transcript/row.ts'
import { durationText } from '../../ui/age-text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Exact } from '../../ui/exact.tsx'
import { OutputBlock } from '../../ui/output-block.tsx'
import { ViewContext } from '../verbosity.ts'
import { FoldLine, Mark } from './fold-line.tsx'

/** Of output only the end is drawn; while it grows, less of it. */
const TAIL_CHARS = 200_000
const LIVE_TAIL_CHARS = 20_000
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*(?:\u0007|\u001b\\)/g

export function CommandItem({ row }: { readonly row: ItemRow }) {
  const { item, isOpen, isCut } = row
  const command = commandText(textOf(item.command) ?? '')
  const output = tail(textOf(item.aggregatedOutput) ?? row.live, isOpen ? LIVE_TAIL_CHARS : TAIL_CHARS)
  const exitCode = numberOf(item.exitCode)
  const durationMs = numberOf(item.durationMs)
  const isAsked = useIsAsked(item.id) && isOpen
  return (
    <FoldLine
      id={row.key}
      icon={SquareTerminal}
      isRunning={isOpen && !isAsked}
      isOpenFirst={(isOpen && !isAsked) || (exitCode !== null && exitCode !== 0) || undefined}
      title={
        <code>
          <Exact text={command || 'command'} />
        </code>
      }
      aside={
        <>
          {durationMs !== null && <span>{durationText(durationMs)}</span>}
          <CommandMark
            isAsked={isAsked}
            status={textOf(item.status)}
            exitCode={exitCode}
            isOpen={isOpen}
            isCut={isCut}
          />
        </>
      }
    >
      <div className="flex items-start gap-2">
        <pre className="min-w-0 flex-1 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <span className="select-none text-soft">$ </span>
          <Exact text={command} />
        </pre>
        <CopyButton text={command} label="Copy the command" />
      </div>
      {output !== '' && <OutputBlock label="Output" text={output} />}
      {output === '' && !isOpen && <p className="text-xs text-soft">No output.</p>}
      {textOf(item.cwd) && <p className="text-xs text-soft">in {textOf(item.cwd)}</p>}
    </FoldLine>
  )
}

function tail(text: string, limit: number): string {
  const end = text.length > limit ? `…\n${text.slice(-limit)}` : text
  return end.replace(ANSI, '')
}

/** Somebody has to allow it first. */
function useIsAsked(itemId: string): boolean {
  const { taskId } = useContext(ViewContext)
  const { data } = useTask(taskId)
  return (
    data?.approvals.some(({ status, question }) => status === 'pending' && question.itemId === itemId) ===
    true
  )
}

interface MarkProps {
  readonly isAsked: boolean
  readonly status: string | null
  readonly exitCode: number | null
  readonly isOpen: boolean
  readonly isCut: boolean
}

function CommandMark({ isAsked, status, exitCode, isOpen, isCut }: MarkProps) {
  if (isCut) return <Mark tone="calm">cut short</Mark>
  if (isAsked) return <span className="text-wait">waits for you</span>
  if (isOpen) return <span className="text-busy">running</span>
  if (status === 'declined') return <Mark tone="bad">denied</Mark>
  if (exitCode !== null) return <Mark tone={exitCode === 0 ? 'good' : 'bad'}>exit {exitCode}</Mark>
  return status === null ? null : <Mark tone={status === 'failed' ? 'bad' : 'calm'}>{status}</Mark>
}
