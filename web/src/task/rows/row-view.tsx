import {
  Bot,
  Braces,
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDot,
  Info,
  ListTodo,
  RotateCw,
} from 'lucide-react'
import { memo, type ReactNode, useContext } from 'react'
import type { AgentRow, ErrorRow, ItemRow, PlanRow, Row, TurnEndRow } from '../../transcript/row.ts'
import { durationText } from '../../ui/age-text.ts'
import { classNames } from '../../ui/class-names.ts'
import { OutputBlock } from '../../ui/output-block.tsx'
import { isShown, ViewContext } from '../verbosity.ts'
import { AskedView } from './asked-view.tsx'
import { CommandItem } from './command-item.tsx'
import { FileChangeItem } from './file-change-item.tsx'
import { FoldLine } from './fold-line.tsx'
import { CollabItem, ImageItem, OtherItem, PlanItem, WebSearchItem } from './other-items.tsx'
import { MessageItem, ReasoningItem, UserItem } from './text-items.tsx'
import { ToolItem } from './tool-item.tsx'

const ITEMS: Readonly<Record<string, (props: { readonly row: ItemRow }) => ReactNode>> = {
  userMessage: UserItem,
  agentMessage: MessageItem,
  reasoning: ReasoningItem,
  commandExecution: CommandItem,
  fileChange: FileChangeItem,
  mcpToolCall: ToolItem,
  dynamicToolCall: ToolItem,
  functionCallOutput: ToolItem,
  webSearch: WebSearchItem,
  imageView: ImageItem,
  imageGeneration: ImageItem,
  plan: PlanItem,
  collabAgentToolCall: CollabItem,
}

export const RowView = memo(({ row }: { readonly row: Row }) => {
  switch (row.kind) {
    case 'item': {
      const View = ITEMS[row.item.type] ?? OtherItem
      return <View row={row} />
    }
    case 'turn-end':
      return <TurnEnd row={row} />
    case 'error':
      return <ErrorView row={row} />
    case 'plan':
      return <PlanView row={row} />
    case 'asked':
      return <AskedView row={row} />
    case 'agent':
      return <AgentView row={row} />
    case 'note':
      return (
        <p className="flex gap-2 text-[13px] text-soft [overflow-wrap:anywhere]">
          <Info size={15} className="mt-0.5 shrink-0" aria-hidden /> {row.text}
        </p>
      )
    case 'raw':
      return (
        <FoldLine id={row.key} icon={Braces} title={<code>{row.method}</code>} isOpenFirst={false}>
          <OutputBlock label="As codex sent it" text={JSON.stringify(row.params, null, 2)} />
        </FoldLine>
      )
  }
})

function TurnEnd({ row }: { readonly row: TurnEndRow }) {
  const isGood = row.status === 'completed'
  return (
    <div
      className={classNames(
        'flex items-center gap-3 py-1 text-xs',
        isGood ? 'text-soft' : row.status === 'failed' ? 'text-bad' : 'text-wait',
      )}
    >
      <span className="h-px flex-1 bg-line" />
      <span>
        {isGood ? 'Turn done' : row.status === 'interrupted' ? 'Turn interrupted' : `Turn ${row.status}`}
        {row.durationMs !== null && ` · ${durationText(row.durationMs)}`} ·{' '}
        {new Date(row.at).toLocaleTimeString()}
      </span>
      <span className="h-px flex-1 bg-line" />
    </div>
  )
}

function ErrorView({ row }: { readonly row: ErrorRow }) {
  if (row.willRetry || row.isOver)
    return (
      <p className="flex gap-2 text-[13px] text-soft">
        <RotateCw
          size={15}
          className={classNames('mt-0.5 shrink-0', !row.isOver && 'breathe text-wait')}
          aria-hidden
        />
        <span className="[overflow-wrap:anywhere]">
          {row.isOver ? 'Went on after' : 'Trying again after'}{' '}
          {row.attempts === 1 ? 'an error' : `${row.attempts} errors`}: {row.message}
        </span>
      </p>
    )
  return (
    <div role="alert" className="flex gap-2 rounded-lg bg-bad-wash px-3 py-2.5 text-sm text-bad">
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {row.message}
        {row.details && <p className="mt-1 text-[13px] whitespace-pre-wrap">{row.details}</p>}
      </div>
    </div>
  )
}

const STEP_ICONS = { completed: CircleCheck, inProgress: CircleDot } as const

function PlanView({ row }: { readonly row: PlanRow }) {
  return (
    <section aria-label="Plan" className="rounded-lg border border-line bg-panel p-3 text-sm">
      <p className="mb-1.5 flex items-center gap-2 text-[13px] font-medium text-soft">
        <ListTodo size={15} aria-hidden /> Plan
      </p>
      {row.explanation && <p className="mb-2 text-soft">{row.explanation}</p>}
      <ol className="flex flex-col gap-1">
        {row.steps.map(({ step, status }) => {
          const Icon = STEP_ICONS[status as keyof typeof STEP_ICONS] ?? Circle
          return (
            <li key={step} className={classNames('flex gap-2', status === 'completed' && 'text-soft')}>
              <Icon
                size={15}
                aria-label={status}
                className={classNames(
                  'mt-0.5 shrink-0',
                  status === 'completed' ? 'text-good' : status === 'inProgress' ? 'text-busy' : 'text-soft',
                )}
              />
              {step}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function AgentView({ row }: { readonly row: AgentRow }) {
  const { verbosity } = useContext(ViewContext)
  const rows = row.rows.filter((inner) => isShown(inner, verbosity))
  const isBusy = row.rows.some((inner) => inner.kind === 'item' && inner.isOpen)
  return (
    <FoldLine
      id={row.key}
      icon={Bot}
      isRunning={isBusy}
      title={
        <>
          Sub-agent <code className="text-soft">{row.threadId.slice(-8)}</code>
        </>
      }
      aside={`${rows.length} steps`}
    >
      <div className="flex flex-col gap-2 border-l-2 border-line pl-3">
        {rows.map((inner) => (
          <RowView key={inner.key} row={inner} />
        ))}
      </div>
    </FoldLine>
  )
}
