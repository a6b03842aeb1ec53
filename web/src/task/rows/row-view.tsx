import { Bot, Braces, Info } from 'lucide-react'
import { memo, type ReactNode, useContext } from 'react'
import type { AgentRow, ItemRow, Row } from '../../transcript/row.ts'
import { OutputBlock } from '../../ui/output-block.tsx'
import { isShown, ViewContext } from '../verbosity.ts'
import { AskedView } from './asked-view.tsx'
import { CommandItem } from './command-item.tsx'
import { FileChangeItem } from './file-change-item.tsx'
import { FoldLine } from './fold-line.tsx'
import { HookView } from './hook-view.tsx'
import { CollabItem, ImageItem, OtherItem, PlanItem, WebSearchItem } from './other-items.tsx'
import { OversizeView } from './oversize-view.tsx'
import { PlanView } from './plan-view.tsx'
import { MessageItem, ReasoningItem, UserItem } from './text-items.tsx'
import { ToolItem } from './tool-item.tsx'
import { ErrorView, TurnEnd } from './turn-views.tsx'

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
    case 'oversize':
      return <OversizeView row={row} />
    case 'hook':
      return <HookView row={row} />
    case 'raw':
      return (
        <FoldLine id={row.key} icon={Braces} title={<code>{row.method}</code>} isOpenFirst={false}>
          <OutputBlock label="As codex sent it" text={JSON.stringify(row.params, null, 2)} />
        </FoldLine>
      )
  }
})

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
          Sub-agent <span className="text-soft">{row.name ?? row.threadId.slice(-8)}</span>
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
