import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const source = readFileSync(new URL('./error-response.ts', import.meta.url), 'utf8')
const doc = readFileSync(new URL('../../docs/user/api.md', import.meta.url), 'utf8')

/** As the tables in `error-response.ts` have them: code and status. */
const sent = [...source.matchAll(/^ {2}'?([a-z-]+)'?: (\d{3}),$/gm)].map(([, code, status]) => [code, status])

/** As the table of errors has them. */
const documented = doc
  .slice(doc.indexOf('\n## Errors'), doc.indexOf('\n## Who is let in'))
  .split('\n')
  .flatMap((row) => {
    const [, status = '', codes = ''] = row.split('|').map((cell) => cell.trim())
    return [...codes.matchAll(/`([a-z-]+)…?`/g)].map(([, code]) => [code, status])
  })

it('every code that is sent is documented with its status, and no other', () => {
  expect(sent.length).toBeGreaterThan(35)
  const others = [
    ['internal', '500'],
    // Before a route is reached: `refuse-unread.ts`.
    ...[
      ['request-incomplete', '408'],
      ['headers-too-large', '431'],
    ],
    ...['login-failed', 'not-found', 'full', 'refused'].map((code) => [`database-${code}`, '503']),
    ['codex-', '502'],
    ['app-server-', '502'],
  ]
  expect(documented.toSorted()).toEqual([...sent, ...others].toSorted())
})
