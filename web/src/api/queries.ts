import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import * as calls from './calls.ts'
import { setConnection, useConnection } from './connection.ts'
import { DATABASE_RETRY_MS } from './database-retry.ts'
import { reconnectStreams } from './event-source.ts'

export const keys = {
  status: ['status'] as const,
  tasks: (query: calls.TaskQuery) => ['tasks', query] as const,
  task: (id: string) => ['task', id] as const,
  open: ['approvals', 'pending'] as const,
  approval: (id: string) => ['approval', id] as const,
  rules: ['rules'] as const,
  audit: ['audit'] as const,
  workers: ['workers'] as const,
  tokens: ['tokens'] as const,
  lentAccounts: ['lent-accounts'] as const,
  uploads: (id: string) => ['uploads', id] as const,
}

const PAGE = 200

/** Also tells whether the database answers: the status is read from it. */
export const useStatus = () => {
  const { isDatabaseAway } = useConnection()
  return useQuery({
    queryKey: keys.status,
    queryFn: async ({ signal, client }) => {
      const status = await calls.system.status(signal)
      if (setConnection({ isDatabaseAway: false })) {
        reconnectStreams()
        void client.invalidateQueries({ predicate: isNotStatus })
      }
      return status
    },
    refetchInterval: isDatabaseAway ? DATABASE_RETRY_MS : 60_000,
  })
}

const isNotStatus = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
  queryKey[0] !== keys.status[0]

export const useTasks = (query: calls.TaskQuery) =>
  useInfiniteQuery({
    queryKey: keys.tasks(query),
    queryFn: ({ pageParam, signal }) =>
      calls.tasks.list({ limit: PAGE, ...query, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: (before) => before,
  })

/** How many there are of each status, however many pages the list has. */
export const useTaskCounts = (query: calls.TaskQuery) =>
  useQuery({
    queryKey: ['tasks', 'counts', query],
    queryFn: ({ signal }) => calls.tasks.count(query, signal),
    placeholderData: (before) => before,
  })

export const useTask = (id: string) =>
  useQuery({ queryKey: keys.task(id), queryFn: ({ signal }) => calls.tasks.detail(id, signal) })

interface WorkQuery {
  readonly state: string
  readonly isThere: boolean
  /** null: the one that the task works in. */
  readonly repository: string | null
}

/** Looked at again when a turn begins or ends: not with every event. */
export const useWork = (id: string, { state, isThere, repository }: WorkQuery) =>
  useQuery({
    queryKey: ['work', id, state, repository],
    queryFn: async ({ signal }) => {
      const work = await calls.work.show(id, repository, signal)
      return { work, diff: await calls.work.diff(id, work.workspace, signal) }
    },
    enabled: isThere,
    placeholderData: (before) => before,
    retry: false,
  })

/** The files that a task was given. */
export const useUploads = (id: string) =>
  useQuery({
    queryKey: keys.uploads(id),
    queryFn: async ({ signal }) => (await calls.files.uploads(id, signal)).items,
    retry: false,
  })

/** Tasks that this one started, newest first. */
export const useChildren = (id: string) =>
  useQuery({
    queryKey: ['tasks', 'below', id],
    queryFn: ({ signal }) => calls.tasks.list({ parent: id, archived: 'true', limit: 100 }, signal),
  })

/** How many tasks are below this one, at any depth, by status. */
export const useCountsBelow = (id: string) =>
  useQuery({
    queryKey: ['tasks', 'counts below', id],
    queryFn: ({ signal }) => calls.tasks.count({ below: id, archived: 'true' }, signal),
  })

/** Open questions, oldest first. */
export const useOpenApprovals = () =>
  useQuery({
    queryKey: keys.open,
    queryFn: ({ signal }) => calls.approvals.list({ status: 'pending', limit: 200 }, signal),
    select: ({ items }) => [...items].sort((a, b) => a.createdAt - b.createdAt),
  })

export const useApproval = (id: string) =>
  useQuery({ queryKey: keys.approval(id), queryFn: () => calls.approvals.get(id) })

export const useModels = () =>
  useQuery({ queryKey: ['models'], queryFn: calls.system.models, staleTime: 300_000, retry: false })

export const useAccount = () =>
  useQuery({ queryKey: ['account'], queryFn: calls.account.read, staleTime: 60_000, retry: false })

export const useHosts = () =>
  useQuery({ queryKey: ['hosts'], queryFn: calls.system.hosts, refetchInterval: 10_000 })

export const useWorkers = ({ refetchMs }: { refetchMs?: number } = {}) =>
  useQuery({
    queryKey: keys.workers,
    queryFn: ({ signal }) => calls.workers.list(signal),
    refetchInterval: refetchMs ?? false,
  })

/** Those that tasks borrow. */
export const useLentAccounts = ({ isWanted = true }: { isWanted?: boolean } = {}) =>
  useQuery({
    queryKey: keys.lentAccounts,
    queryFn: ({ signal }) => calls.accounts.list(signal),
    enabled: isWanted,
    refetchInterval: 30_000,
  })

export const useTokens = () =>
  useQuery({
    queryKey: keys.tokens,
    queryFn: ({ signal }) => calls.tokens.list(signal),
    refetchInterval: 30_000,
  })

/** By the days of whoever looks. */
export const useUsage = (days: number) => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return useQuery({
    queryKey: ['usage', days, timeZone],
    queryFn: ({ signal }) => calls.system.usage({ days, timeZone }, signal),
    placeholderData: (before) => before,
    refetchInterval: 30_000,
  })
}

export const useNotices = () =>
  useQuery({ queryKey: ['notices'], queryFn: calls.system.notices, refetchInterval: 20_000 })

/** A look takes seconds and a codex of its own: not before somebody can see what it finds. */
export const useDoctor = ({ isSeen }: { isSeen: boolean }) =>
  useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => calls.system.doctor(signal),
    enabled: isSeen,
    retry: false,
    staleTime: 300_000,
  })

export const useRules = () =>
  useQuery({ queryKey: keys.rules, queryFn: () => calls.rules.list(true), select: ({ items }) => items })

export const useAudit = () =>
  useInfiniteQuery({
    queryKey: keys.audit,
    queryFn: ({ pageParam }) => calls.system.audit({ limit: 100, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
