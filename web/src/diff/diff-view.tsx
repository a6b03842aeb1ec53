// Our own view of a patch: @pierre/diffs writes style attributes and elements, which the page does not allow
// (docs/decisions/2026-11-16-console.md).
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Exact } from '../ui/exact.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Toggle } from '../ui/toggle.tsx'
import { SplitRows, UnifiedRows } from './diff-rows.tsx'
import { type FileDiff, lineCount } from './parse-diff.ts'

type Layout = 'split' | 'unified'

const MAX_LINES = 400

interface Props {
  readonly files: readonly FileDiff[]
  /** Where there is no room for two columns. */
  readonly isNarrow?: boolean
  readonly isFolded?: boolean
  /** Of long files: the first lines, with a button for the rest; the first lines; or all. */
  readonly lines?: 'first' | 'some' | 'all'
}

export function DiffView({ files, isNarrow = false, isFolded = false, lines = 'first' }: Props) {
  const [layout, setLayout] = useKept<Layout>('diff', 'split')
  const hasChoice = !isNarrow && files.length > 0
  return (
    <div className="flex flex-col gap-2">
      {hasChoice && (
        <div className="hidden justify-end lg:flex">
          <Toggle
            label="Layout of the diff"
            value={layout}
            onChoose={setLayout}
            options={[
              { value: 'split', text: 'Side by side' },
              { value: 'unified', text: 'Unified' },
            ]}
          />
        </div>
      )}
      {files.map((file) => (
        <FileView
          key={file.path}
          file={file}
          layout={isNarrow ? 'unified' : layout}
          isFolded={isFolded}
          lines={lines}
        />
      ))}
    </div>
  )
}

interface FileProps {
  readonly file: FileDiff
  readonly layout: Layout
  readonly lines: NonNullable<Props['lines']>
}

function FileView({ file, layout, isFolded, lines }: FileProps & { readonly isFolded: boolean }) {
  const [isOpen, setOpen] = useState(!isFolded)
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-start gap-2 bg-sunk px-2.5 py-1.5 text-left text-[13px]"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={classNames('mt-0.5 shrink-0 motion-safe:transition-transform', isOpen && 'rotate-90')}
        />
        <code className="min-w-0 [overflow-wrap:anywhere]">
          {file.from !== null && (
            <>
              <Exact text={file.from} /> →{' '}
            </>
          )}
          <Exact text={file.path} />
        </code>
        <span className="ml-auto shrink-0 text-xs text-soft">
          {file.change !== 'updated' && `${file.change} `}
          <span className="text-good">+{file.addedCount}</span>{' '}
          <span className="text-bad">−{file.removedCount}</span>
        </span>
      </button>
      {isOpen && <Lines file={file} layout={layout} lines={lines} />}
    </div>
  )
}

function Lines({ file, layout, lines: wanted }: FileProps) {
  const [isOpened, setOpened] = useState(false)
  const isWhole = isOpened || wanted === 'all'
  const total = lineCount(file)
  // Two columns of which one is empty show nothing.
  const isSplit = layout === 'split' && file.change === 'updated'
  let left = isWhole ? Number.POSITIVE_INFINITY : MAX_LINES
  const hunks = file.hunks.map((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left))
    left -= hunk.lines.length
    return { ...hunk, lines }
  })
  return (
    <section
      aria-label={`Changes of ${file.path}`}
      className="border-t border-line font-mono text-xs leading-5 [overflow-wrap:anywhere]"
    >
      {hunks.map(
        (hunk, index) =>
          hunk.lines.length > 0 && (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks of a patch do not move.
            <div key={index}>
              {hunk.header !== '' && (
                <div className="bg-sunk px-3 py-0.5 text-soft">
                  <Exact text={hunk.header} />
                </div>
              )}
              {isSplit && (
                <div className="hidden lg:block">
                  <SplitRows lines={hunk.lines} />
                </div>
              )}
              <div className={isSplit ? 'lg:hidden' : undefined}>
                <UnifiedRows lines={hunk.lines} />
              </div>
            </div>
          ),
      )}
      {total > MAX_LINES && !isWhole && wanted === 'first' && (
        <button
          type="button"
          className="w-full border-t border-line bg-sunk py-1.5 text-accent"
          onClick={() => setOpened(true)}
        >
          Show all {total.toLocaleString()} lines
        </button>
      )}
      {total === 0 && <p className="px-3 py-2 text-soft">No lines to show: moved, or not text.</p>}
    </section>
  )
}
