import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { TrustLook } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { queryClient } from '../api/query-client.ts'

export interface Place {
  readonly cwd: string
  readonly codexHome: string | null
}

const lookKey = ({ cwd, codexHome }: Place) => ['trust', 'look', cwd, codexHome] as const

/** What is there is on disk and changes without a word: looked at anew with every page. */
export const useTrustLook = (place: Place) =>
  useQuery({
    queryKey: lookKey(place),
    queryFn: ({ signal }) => calls.trust.look(place, signal),
    enabled: place.cwd.startsWith('/') || /^[A-Za-z]:[\\/]/.test(place.cwd),
    staleTime: 0,
    retry: false,
  })

export const useTrustList = () => useQuery({ queryKey: ['trust', 'list'], queryFn: calls.trust.list })

export const refreshTrust = () => queryClient.invalidateQueries({ queryKey: ['trust'] })

/** Trusts what is on the screen. Is it another by now, the screen shows it as it is, and nothing is trusted. */
export const useTrusting = (place: Place) =>
  useMutation({
    mutationFn: (digest: string) => calls.trust.trust({ ...place, digest }),
    onSuccess: refreshTrust,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'trust-changed')
        queryClient.setQueryData(lookKey(place), error.details as unknown as TrustLook)
    },
  })

/** A value that has stayed the same for this long: nobody is asked about half a path. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
