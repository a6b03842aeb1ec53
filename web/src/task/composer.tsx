import { useMutation } from '@tanstack/react-query'
import { SendHorizontal, SlidersHorizontal } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { Task, TurnOverrides } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { AttachedFiles, AttachFilesButton, useAttachedFiles } from '../files/attached-files.tsx'
import { isRunning } from '../tasks/columns.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { AttachButton, AttachedImages } from './attached-images.tsx'
import { useImages } from './images.ts'
import { OverrideFields } from './override-fields.tsx'
import { turnInput } from './turn-input.ts'

type Mode = 'steer' | 'queue'

/** For files without a word: what they are follows. */
const FILES_ONLY = 'I have uploaded files for you.'

export function Composer({ task }: { readonly task: Task }) {
  const [text, setText] = useState('')
  const [mode, setMode] = useState<Mode>('steer')
  const [overrides, setOverrides] = useState<TurnOverrides>({})
  const [isMoreOpen, setMoreOpen] = useState(false)
  const attached = useImages()
  const files = useAttachedFiles(task.id)
  const [isOver, setOver] = useState(false)
  const key = useRef(crypto.randomUUID())
  const isSteering = isRunning(task) && mode === 'steer'
  const send = useMutation({
    mutationFn: () => {
      const said = text.trim()
      const isFilesOnly = said === '' && attached.images.length === 0
      const input = turnInput(isFilesOnly ? FILES_ONLY : said, attached.images)
      // The same key until it was taken: trying again never sends it twice.
      if (isSteering) return calls.tasks.steer(task.id, input, key.current)
      const changes = Object.keys(overrides).length > 0 ? { overrides } : {}
      return calls.tasks.send(task.id, { input, ...changes }, key.current)
    },
    onSuccess: () => {
      key.current = crypto.randomUUID()
      setText('')
      setOverrides({})
      attached.clear()
      void files.refresh()
      void queryClient.invalidateQueries({ queryKey: keys.task(task.id) })
    },
  })
  const isEmpty = text.trim() === '' && attached.images.length === 0 && files.waiting.length === 0
  // What is still on its way would be told with the message after this one.
  const canSend = !isEmpty && files.uploading === 0 && !send.isPending
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canSend) send.mutate()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen with the button as well.
    <div
      className={classNames('border-t border-line px-3 py-2.5 sm:px-4', isOver ? 'bg-sunk' : 'bg-panel')}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        setOver(false)
        files.add(event.dataTransfer.files)
      }}
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        <ErrorNote error={send.error ?? attached.problem ?? files.problem} />
        <AttachedImages attached={attached} />
        <AttachedFiles files={files} />
        <textarea
          aria-label="Message to Codex"
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          placeholder={isSteering ? 'Steer the turn that runs…' : 'Ask for more…'}
          className="w-full resize-none rounded-xl border border-line bg-page px-3.5 py-2 text-[15px] leading-relaxed"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) =>
            event.clipboardData.files.length > 0 && void attached.add(event.clipboardData.files)
          }
        />
        {isMoreOpen && !isSteering && <OverrideFields value={overrides} onChange={setOverrides} />}
        <div className="flex flex-wrap items-center gap-2">
          <AttachButton attached={attached} />
          <AttachFilesButton files={files} />
          {!isSteering && (
            <Button
              size="small"
              tone="quiet"
              aria-expanded={isMoreOpen}
              onClick={() => setMoreOpen(!isMoreOpen)}
            >
              <SlidersHorizontal size={15} aria-hidden />{' '}
              <span className="max-sm:sr-only">Model, sandbox, preset</span>
            </Button>
          )}
          <div className="ml-auto flex items-center gap-2">
            {isRunning(task) && (
              <Toggle
                label="Where the message goes"
                value={mode}
                onChoose={setMode}
                options={[
                  { value: 'steer', text: 'Steer', title: 'Into the turn that runs, now' },
                  { value: 'queue', text: 'Queue', title: 'A turn of its own, after this one' },
                ]}
              />
            )}
            <Button tone="main" disabled={!canSend} onClick={() => send.mutate()}>
              <SendHorizontal size={16} aria-hidden />{' '}
              {isSteering ? 'Steer' : isRunning(task) ? 'Queue' : 'Send'}
            </Button>
          </div>
        </div>
      </div>
    </div>
  )
}
