import { QueryCache, QueryClient } from '@tanstack/react-query'
import { setConnection } from './connection.ts'
import { ApiError } from './http.ts'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) setConnection({ isUnauthorized: true })
    },
    onSuccess: () => setConnection({ isUnauthorized: false }),
  }),
  defaultOptions: {
    queries: {
      // The stream says when something changed; this is for what it cannot say.
      staleTime: 15_000,
      retry: (count, error) =>
        error instanceof ApiError && (error.status === 0 || error.status >= 502) && count < 3,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
