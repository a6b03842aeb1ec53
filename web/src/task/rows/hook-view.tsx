import { Webhook } from 'lucide-react'
import type { HookRow } from '../../transcript/row.ts'
import { durationText } from '../../ui/age-text.ts'
import { Exact } from '../../ui/exact.tsx'
import { OutputBlock } from '../../ui/output-block.tsx'
import { FoldLine, Mark } from './fold-line.tsx'

const WHEN: Readonly<Record<string, string>> = {
  before: 'Before the first turn',
  after: 'After the task ended',
  onDeliverable: 'On a deliverable',
  onUpload: 'On an upload',
  onQuestion: 'On a question',
}
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*(?:\u0007|\u001b\\)/g

/** What the operator runs around the task, and what it wrote. */
export function HookView({ row }: { readonly row: HookRow }) {
  const isRunning = row.status === 'started'
  const output = row.output.replace(ANSI, '')
  return (
    <FoldLine
      id={row.key}
      icon={Webhook}
      isRunning={isRunning}
      isOpenFirst={isRunning || isBad(row) || undefined}
      title={
        <>
          {WHEN[row.on ?? ''] ?? 'Hook'}:{' '}
          <code>
            <Exact text={row.title} />
          </code>
        </>
      }
      aside={
        <>
          {row.durationMs !== null && <span>{durationText(row.durationMs)}</span>}
          <HookMark row={row} />
        </>
      }
    >
      <p className="text-xs text-soft">
        Hook “{row.hook}” of the service’s settings. It runs outside the sandbox.
      </p>
      {row.problem !== null && row.exitCode === null && (
        <p className="text-[13px] [overflow-wrap:anywhere]">{row.problem}</p>
      )}
      {output !== '' && <OutputBlock label="Output" text={output} />}
      {output === '' && !isRunning && row.status !== 'skipped' && (
        <p className="text-xs text-soft">No output.</p>
      )}
    </FoldLine>
  )
}

function isBad({ status }: HookRow): boolean {
  return status === 'failed' || status === 'timed-out' || status === 'unknown'
}

function HookMark({ row }: { readonly row: HookRow }) {
  const { status, exitCode } = row
  if (status === 'started') return <span className="text-busy">running</span>
  if (status === 'done') return <Mark tone="good">done</Mark>
  if (status === 'failed') return <Mark tone="bad">{exitCode === null ? 'failed' : `exit ${exitCode}`}</Mark>
  return <Mark tone={isBad(row) ? 'bad' : 'calm'}>{status === 'timed-out' ? 'timed out' : status}</Mark>
}
