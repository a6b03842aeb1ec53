// What the list is narrowed to, kept in the address so that it can be shared and gone back to.
import type { TaskQuery } from '../api/calls.ts'
import { COLUMNS } from './columns.ts'

export interface TaskFilter {
  readonly column: string
  readonly search: string
  readonly label: string
  readonly archived: boolean
}

export function readFilter(address: string): TaskFilter {
  const params = new URLSearchParams(address)
  return {
    column: params.get('state') ?? '',
    search: params.get('search') ?? '',
    label: params.get('label') ?? '',
    archived: params.get('archived') === 'yes',
  }
}

export function filterAddress({ column, search, label, archived }: TaskFilter): string {
  const params = new URLSearchParams()
  if (column) params.set('state', column)
  if (search) params.set('search', search)
  if (label) params.set('label', label)
  if (archived) params.set('archived', 'yes')
  const text = params.toString()
  return text === '' ? '/tasks' : `/tasks?${text}`
}

export function filterQuery({ column, search, label, archived }: TaskFilter): TaskQuery {
  const shown = COLUMNS.find(({ id }) => id === column)
  return {
    status: shown?.statuses.join(','),
    waitingFor: shown?.waitingFor,
    search: search || undefined,
    labels: label || undefined,
    archived: archived ? 'only' : undefined,
  }
}
