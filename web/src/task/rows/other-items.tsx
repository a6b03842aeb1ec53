import { Bot, Image, ListTodo, type LucideIcon, Search, SquareDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { asParams, textOf } from '../../transcript/params.ts'
import type { ItemRow } from '../../transcript/row.ts'
import { OutputBlock } from '../../ui/output-block.tsx'
import { FoldLine, Mark } from './fold-line.tsx'
import { Picture } from './picture.tsx'

export function WebSearchItem({ row }: { readonly row: ItemRow }) {
  const action = asParams(row.item.action)
  const what = textOf(action.url) ?? textOf(action.query) ?? textOf(row.item.query) ?? ''
  const verb =
    action.type === 'openPage' ? 'Opened' : action.type === 'findInPage' ? 'Looked in' : 'Searched the web:'
  return (
    <FoldLine
      id={row.key}
      icon={Search}
      isRunning={row.isOpen}
      title={
        <>
          {verb} <code>{what}</code>
        </>
      }
    >
      {Array.isArray(row.item.results) && row.item.results.length > 0 && (
        <OutputBlock label="Results" text={JSON.stringify(row.item.results, null, 2)} />
      )}
    </FoldLine>
  )
}

export function ImageItem({ row }: { readonly row: ItemRow }) {
  const { item } = row
  const result = textOf(item.result)
  const where = textOf(item.savedPath) ?? textOf(item.path)
  return (
    <FoldLine
      id={row.key}
      icon={Image}
      isRunning={row.isOpen}
      isOpenFirst={result !== null}
      title={
        item.type === 'imageView' ? (
          <>
            Looked at <code>{where}</code>
          </>
        ) : (
          'Made an image'
        )
      }
    >
      {result !== null && result !== '' && (
        <Picture source={result.startsWith('data:') ? result : `data:image/png;base64,${result}`} />
      )}
      {item.type !== 'imageView' && where !== null && <code className="text-xs text-soft">{where}</code>}
    </FoldLine>
  )
}

export function PlanItem({ row }: { readonly row: ItemRow }) {
  const text = textOf(row.item.text) || row.live
  return (
    <div className="rounded-lg border border-line bg-panel p-3">
      <p className="mb-2 flex items-center gap-2 text-[13px] font-medium text-soft">
        <ListTodo size={15} aria-hidden /> Proposed plan
      </p>
      <Markdown text={text} isLive={row.isOpen} />
    </div>
  )
}

const AGENT_VERBS: Readonly<Record<string, string>> = {
  spawnAgent: 'Started a sub-agent',
  sendInput: 'Wrote to a sub-agent',
  sendMessage: 'Wrote to a sub-agent',
  resumeAgent: 'Took up a sub-agent again',
  wait: 'Waited for sub-agents',
  closeAgent: 'Ended a sub-agent',
  followupTask: 'Gave a sub-agent more to do',
  interruptAgent: 'Interrupted a sub-agent',
  listAgents: 'Looked at its sub-agents',
}

export function CollabItem({ row }: { readonly row: ItemRow }) {
  const { item } = row
  const prompt = textOf(item.prompt)
  const states = Object.entries(asParams(item.agentsStates))
  return (
    <FoldLine
      id={row.key}
      icon={Bot}
      isRunning={row.isOpen}
      title={
        <>
          {AGENT_VERBS[String(item.tool)] ?? `Sub-agents: ${item.tool}`}
          {prompt && <span className="text-soft"> · {prompt}</span>}
        </>
      }
      aside={item.status === 'failed' && <Mark tone="bad">failed</Mark>}
    >
      {prompt && <p className="text-sm whitespace-pre-wrap">{prompt}</p>}
      {states.map(([id, state]) => (
        <p key={id} className="text-[13px] text-soft">
          <code>{id.slice(-8)}</code> {String(asParams(state).status)} {textOf(asParams(state).message)}
        </p>
      ))}
    </FoldLine>
  )
}

const LINES: Readonly<Record<string, (row: ItemRow) => ReactNode>> = {
  contextCompaction: () => 'The history was made shorter to fit the model',
  enteredReviewMode: ({ item }) => `Review began: ${textOf(item.review) ?? ''}`,
  subAgentActivity: ({ item }) => `Sub-agent ${textOf(item.agentPath) ?? ''}: ${item.kind}`,
  sleep: () => 'Waited for a while',
}

/** Items with nothing but a line, and those nobody has taught the console yet: as they came. */
export function OtherItem({ row }: { readonly row: ItemRow }) {
  const line = LINES[row.item.type]
  const icon: LucideIcon = row.item.type === 'subAgentActivity' ? Bot : SquareDashed
  if (row.item.type === 'exitedReviewMode') return <Markdown text={textOf(row.item.review) ?? ''} />
  return (
    <FoldLine
      id={row.key}
      icon={icon}
      isRunning={row.isOpen}
      title={line ? line(row) : <code>{row.item.type}</code>}
    >
      {!line && <OutputBlock label="As codex sent it" text={JSON.stringify(row.item, null, 2)} />}
    </FoldLine>
  )
}
