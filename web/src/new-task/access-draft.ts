// What a new task may touch besides its sandbox, as it is being written.
import type { ThreadPolicy } from '../api/contract.ts'

export interface AccessDraft {
  readonly network: 'off' | 'on' | 'domains'
  /** With commas. */
  readonly domains: string
  /** `ro:` or `rw:` and a path, one to a line. */
  readonly allow: string
  readonly confined: boolean
}

export const NO_ACCESS: AccessDraft = { network: 'off', domains: '', allow: '', confined: false }

/** What is wrong with a line; null: nothing. The rest is the service's to say. */
export function accessProblem({ allow }: Pick<AccessDraft, 'allow'>): string | null {
  const bad = lines(allow).find((line) => !LINE.test(line))
  return bad === undefined ? null : `${bad}: write ro: or rw: and an absolute path`
}

export function accessPolicy({
  network,
  domains,
  allow,
  confined,
}: AccessDraft): Pick<ThreadPolicy, 'network' | 'allow' | 'confined'> {
  const paths = lines(allow).map((line) => {
    const [, access, path] = LINE.exec(line) ?? []
    // One that is not understood is sent as it is, and refused.
    return { access: (access ?? 'ro') as 'ro' | 'rw', path: path ?? line }
  })
  return {
    ...(network === 'on' && { network: true }),
    ...(network === 'domains' && { network: { domains: words(domains) } }),
    ...(paths.length > 0 && { allow: paths }),
    ...(confined && { confined }),
  }
}

const LINE = /^(ro|rw):(\/.*)$/

function lines(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).flatMap((word) => (word === '' ? [] : [word.toLowerCase()]))
}
