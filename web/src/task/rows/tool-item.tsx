import { Plug } from 'lucide-react'
import { asParams, listOf, numberOf, textOf } from '../../transcript/params.ts'
import type { ItemRow } from '../../transcript/row.ts'
import { durationText } from '../../ui/age-text.ts'
import { OutputBlock } from '../../ui/output-block.tsx'
import { FoldLine, Mark } from './fold-line.tsx'

/** A call of an MCP tool or of a tool the client gave to codex. */
export function ToolItem({ row }: { readonly row: ItemRow }) {
  const { item, isOpen } = row
  const name = [item.server ?? item.namespace, item.tool ?? item.name].filter(Boolean).join(' · ')
  const error = textOf(asParams(item.error).message)
  const isBad = item.status === 'failed' || item.success === false || error !== null
  const durationMs = numberOf(item.durationMs)
  const result = resultText(row)
  return (
    <FoldLine
      id={row.key}
      icon={Plug}
      isRunning={isOpen}
      title={<code>{name || 'tool'}</code>}
      aside={
        <>
          {durationMs !== null && <span>{durationText(durationMs)}</span>}
          {isOpen && <span className="text-busy">running</span>}
          {!isOpen &&
            (row.isCut ? (
              <Mark tone="calm">cut short</Mark>
            ) : (
              <Mark tone={isBad ? 'bad' : 'good'}>{isBad ? 'failed' : 'done'}</Mark>
            ))}
        </>
      }
    >
      {item.arguments !== undefined && (
        <OutputBlock label="Arguments" text={JSON.stringify(item.arguments, null, 2)} />
      )}
      {row.live !== '' && <p className="text-xs text-soft">{row.live}</p>}
      {error !== null && <p className="text-[13px] text-bad">{error}</p>}
      {result !== '' && <OutputBlock label="Result" text={result} />}
    </FoldLine>
  )
}

function resultText({ item }: ItemRow): string {
  const { result, contentItems, output } = item
  const parts = [...listOf(asParams(result).content), ...listOf(contentItems)]
  const said = parts.map((part) => textOf(part.text) ?? JSON.stringify(part, null, 2)).join('\n')
  if (said !== '') return said
  if (output !== undefined) return textOf(output) ?? JSON.stringify(output, null, 2)
  return result === null || result === undefined ? '' : JSON.stringify(result, null, 2)
}
