import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { AccountLogin } from '../api/contract.ts'

const KEY = ['account-login']
/** What a login changes. */
const CHANGED = [['account'], ['models'], ['doctor']]
const NONE: AccountLogin = { status: 'none' }
const PENDING_EVERY_MS = 2000
/** Somebody else may have begun one. */
const ELSE_EVERY_MS = 15_000

/** The login of codex, wherever it was begun, and what can be done about it. */
export function useLogin() {
  const client = useQueryClient()
  const { data: login = NONE } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => calls.account.login(signal),
    retry: false,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? PENDING_EVERY_MS : ELSE_EVERY_MS),
  })
  const [wasPending, setWasPending] = useState(false)
  if (login.status === 'pending' && !wasPending) setWasPending(true)
  const keep = (now: AccountLogin) => client.setQueryData(KEY, now)
  const succeededAt = login.status === 'succeeded' ? login.endedAt : null
  useEffect(() => {
    if (succeededAt === null) return
    for (const queryKey of CHANGED) void client.invalidateQueries({ queryKey })
  }, [succeededAt, client])
  const start = useMutation({
    mutationFn: () => calls.account.startLogin({ type: 'chatgptDeviceCode' }),
    onSuccess: keep,
  })
  const cancel = useMutation({
    mutationFn: calls.account.cancelLogin,
    onSuccess: keep,
    onError: () => client.invalidateQueries({ queryKey: KEY }),
  })
  // Of one that failed before anybody looked here there is nothing to say any more.
  const failure = login.status === 'failed' && wasPending ? login.message : null
  return { login, failure, keep, start, cancel }
}
