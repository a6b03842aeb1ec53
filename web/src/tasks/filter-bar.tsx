import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useKeys } from '../shell/keys.ts'
import { Button } from '../ui/button.tsx'
import { Choice, INPUT } from '../ui/field.tsx'
import { COLUMNS } from './columns.ts'
import type { TaskFilter } from './task-filter.ts'

interface Props {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}

const TYPING_MS = 250

export function FilterBar({ filter, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [search, setSearch] = useState(filter.search)
  useKeys({ '/': () => input.current?.focus() })
  useEffect(() => {
    if (search === filter.search) return
    const timer = setTimeout(() => onChange({ ...filter, search }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [search, filter, onChange])
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="relative min-w-48 flex-1">
        <Search size={15} aria-hidden className="absolute top-2.5 left-3 text-soft" />
        <input
          ref={input}
          type="search"
          aria-label="Search tasks"
          placeholder="Search title, prompt, answer  ( / )"
          className={`${INPUT} pl-9`}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
        />
      </div>
      <Choice
        aria-label="State"
        className="!w-auto"
        value={filter.column}
        onChoose={(column) => onChange({ ...filter, column })}
        options={[
          { value: '', text: 'Any state' },
          ...COLUMNS.map(({ id, title }) => ({ value: id, text: title })),
        ]}
      />
      <label className="flex items-center gap-1.5 text-[13px] text-soft">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={filter.archived}
          onChange={(event) => onChange({ ...filter, archived: event.target.checked })}
        />
        Archived
      </label>
      {filter.label && (
        <Button
          size="small"
          onClick={() => onChange({ ...filter, label: '' })}
          aria-label={`No longer only ${filter.label}`}
        >
          {filter.label} <X size={13} aria-hidden />
        </Button>
      )}
    </div>
  )
}
