import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Row } from '../transcript/row.ts'
import { Button } from '../ui/button.tsx'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { FlickContext, useFlick } from './flick.ts'
import { RowView } from './rows/row-view.tsx'

interface Props {
  readonly rows: readonly Row[]
  readonly hasOlder: boolean
  readonly onOlder: () => void
}

const NEAR_TOP_PX = 600
const AT_END_PX = 60

/** Only what is on the screen is drawn. At its end it follows; anywhere else it stays where the reader is. */
export function TranscriptView({ rows, hasOlder, onOlder }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey: (index) => rows[index]!.key,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: AT_END_PX,
    paddingStart: 16,
    paddingEnd: 16,
  })
  const isEmpty = rows.length === 0
  useEffect(() => {
    if (!isEmpty) virtualizer.scrollToEnd()
  }, [isEmpty, virtualizer])
  const [isFlicking, onFlick] = useFlick(scroller)
  const onScroll = () => {
    onFlick()
    const element = scroller.current!
    setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX)
    if (hasOlder && element.scrollTop < NEAR_TOP_PX) onOlder()
  }
  return (
    <FlickContext value={isFlicking}>
      <div className="relative min-h-0 flex-1">
        <ScrollBox
          ref={scroller}
          onScroll={onScroll}
          label="Transcript"
          className="scroll-thin h-full overflow-y-auto [overflow-anchor:none]"
        >
          {hasOlder && (
            <p className="pt-3 text-center text-xs text-soft">Older events are fetched as you scroll up.</p>
          )}
          <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map((item) => (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div className="mx-auto max-w-3xl px-4 pb-3">
                  <RowView row={rows[item.index]!} />
                </div>
              </div>
            ))}
          </div>
        </ScrollBox>
        {!isAtEnd && (
          <Button
            size="small"
            className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md"
            onClick={() => virtualizer.scrollToEnd()}
          >
            <ArrowDown size={14} aria-hidden /> Jump to live
          </Button>
        )}
      </div>
    </FlickContext>
  )
}

function estimate(row: Row | undefined): number {
  if (row?.kind !== 'item') return 40
  return row.item.type === 'agentMessage' || row.item.type === 'userMessage' ? 110 : 52
}
