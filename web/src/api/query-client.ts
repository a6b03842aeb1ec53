import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { setConnection } from './connection.ts'
import { DATABASE_RETRY_MS } from './database-retry.ts'
import { ApiError, isDatabaseAway } from './http.ts'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) setConnection({ isUnauthorized: true })
    },
    onSuccess: () => setConnection({ isUnauthorized: false }),
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      if (isDatabaseAway(error)) setConnection({ isDatabaseAway: true })
    },
  }),
  defaultOptions: {
    queries: {
      // The stream says when something changed; this is for what it cannot say.
      staleTime: 15_000,
      retry: (count, error) => {
        // Without an end: what is on the page stays there, and is up to date once the database is back.
        if (isDatabaseAway(error)) {
          setConnection({ isDatabaseAway: true })
          return true
        }
        if (error instanceof ApiError && error.status === 0) setConnection({ isDatabaseAway: false })
        return error instanceof ApiError && (error.status === 0 || error.status >= 502) && count < 3
      },
      retryDelay: (count, error) =>
        isDatabaseAway(error) ? DATABASE_RETRY_MS : Math.min(1000 * 2 ** count, 30_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
