// The command line of `task start`, checked and turned into what the service is asked.
import path from 'node:path'
import type { StartTask, TurnInput } from '../../api/index.ts'
import { parseSnapshotTimes, parseWorkspace, type WorkspaceRequest } from '../../tasks/index.ts'
import {
  type AccessFlags,
  accessOf,
  namedCodex,
  namedCodexHome,
  type RuleFlags,
  seconds,
  threadApprovals,
} from '../options/index.ts'
import { UsageError } from '../process/index.ts'
import { type RunFlags, turnRequest } from '../run/index.ts'
import { inputFor } from './inline-images.ts'

export interface StartFlags extends RuleFlags, AccessFlags {
  readonly cwd?: string
  readonly model?: string
  readonly effort?: string
  readonly sandbox: RunFlags['sandbox']
  readonly label: readonly string[]
  readonly tool: readonly string[]
  readonly notify: readonly string[]
  readonly timeout?: string
  readonly approvalTimeout?: string
  readonly outputSchema?: string
  readonly image: readonly string[]
  readonly keepOpen?: boolean
  readonly title?: string
  readonly codex?: string
  readonly codexHome?: string
  readonly account?: string
  readonly onLimit?: 'park' | 'switch'
  readonly on?: string
  readonly host?: string
  readonly onLost?: 'wait' | 'fail'
  readonly workspace?: string
  readonly from?: string
  readonly also: readonly string[]
  readonly keep?: boolean
  readonly letCommit?: boolean
  readonly shareFolder?: boolean
  readonly snapshot?: string
}

export function startRequest(prompt: string, flags: StartFlags): StartTask {
  // Only looked at: the service takes the rules as they were written.
  threadApprovals(flags)
  const { input, cwd, model, effort, sandbox, outputSchema, timeoutMs } = turnRequest(prompt, {
    ...{ ...flags, allow: [] },
    cwd: isElsewhere(flags) ? '.' : flags.cwd,
    timeout: flags.timeout ?? '1',
  })
  return {
    prompt: flags.image.length === 0 ? prompt : inputFor(flags.host ?? null, input as TurnInput),
    cwd: isElsewhere(flags) ? flags.cwd : cwd,
    policy: {
      sandbox,
      ...accessOf(flags, { isElsewhere: isElsewhere(flags) }),
      ...(model !== null && { model }),
      ...(effort !== null && { effort }),
    },
    ...(flags.title !== undefined && { title: flags.title }),
    ...(flags.codex !== undefined && { codexPath: namedCodex(flags.codex) }),
    ...(flags.codexHome !== undefined && { codexHome: namedCodexHome(flags.codexHome) }),
    ...(flags.account !== undefined && { account: flags.account }),
    ...(flags.onLimit !== undefined && { onLimit: flags.onLimit }),
    ...(flags.approve !== undefined && { preset: flags.approve }),
    ...(flags.rule.length > 0 && { rules: [...flags.rule] }),
    ...(flags.label.length > 0 && { labels: [...flags.label] }),
    ...(flags.tool.length > 0 && { tools: [...flags.tool] }),
    ...(flags.notify.length > 0 && { notify: [...flags.notify] }),
    ...(flags.keepOpen && { keepOpen: true }),
    ...(flags.timeout !== undefined && { timeoutMs }),
    ...(flags.approvalTimeout !== undefined && {
      approvalTimeoutMs: seconds(flags.approvalTimeout, 'approval-timeout') * 1000,
    }),
    ...(outputSchema !== null && { outputSchema }),
    ...(flags.on !== undefined && { on: flags.on }),
    ...(flags.host !== undefined && { host: flags.host }),
    ...(flags.onLost !== undefined && { onLost: flags.onLost }),
    ...(flags.snapshot !== undefined && { snapshots: snapshotTimes(flags.snapshot) }),
    ...workspaceFields(flags),
  }
}

function snapshotTimes(text: string): string {
  try {
    parseSnapshotTimes(text)
    return text
  } catch (error) {
    throw new UsageError(`--snapshot: ${(error as Error).message}`)
  }
}

function workspaceFields({
  workspace,
  from,
  also,
  keep,
  letCommit,
  shareFolder,
  host,
}: StartFlags): Partial<StartTask> {
  const more = {
    ...(from !== undefined && { from }),
    ...(also.length > 0 && { also: also.map((text) => alsoOf(text, host)) }),
    ...(keep && { keep }),
    ...(letCommit && { commits: true }),
  }
  if (workspace === undefined && Object.keys(more).length > 0)
    throw new UsageError('--from, --also, --keep and --let-commit need --workspace')
  return {
    ...(workspace !== undefined && { workspace: { ...asked(workspace, host), ...more } }),
    ...(shareFolder && { shareFolder }),
  }
}

/** A relative path is of this folder, not of the service's. */
function asked(text: string, host: string | undefined): Omit<WorkspaceRequest, 'also'> {
  try {
    const request = parseWorkspace(text)
    const { source } = request
    // A path there is known there.
    if (host !== undefined) return request
    const isPath = source !== undefined && !/^[a-z][a-z+]*:\/\/|^[^/]+:/i.test(source)
    return isPath ? { ...request, source: path.resolve(source) } : request
  } catch (error) {
    throw new UsageError(`--workspace: ${(error as Error).message}`)
  }
}

/** `<folder>` or `<folder>:<branch>`. A relative path is of this folder. */
function alsoOf(text: string, host: string | undefined): { source: string; branch?: string } {
  const [, folder, branch] = /^(.+):([^:/]+(?:\/[^:]*)?)$/s.exec(text) ?? []
  const source = folder ?? text
  if (source.trim() === '' || source.endsWith(':'))
    throw new UsageError('--also: name a folder of a repository, or <folder>:<branch>')
  return {
    source: host === undefined ? path.resolve(source) : source,
    ...(branch !== undefined && { branch }),
  }
}

/** The folder is on another machine, and need not be here. */
function isElsewhere(flags: StartFlags): flags is StartFlags & { readonly cwd: string } {
  const { on, host, cwd } = flags
  const isAbsolute = cwd !== undefined && path.isAbsolute(cwd)
  if (host !== undefined && !isAbsolute)
    throw new UsageError(`--host needs --cwd: the folder on ${host}, from / on`)
  return (on !== undefined || host !== undefined) && isAbsolute
}

/** What is sent to a task that exists. */
export function messageInput(
  text: string,
  images: readonly string[],
  { host }: { readonly host: string | null },
): TurnInput {
  const { input } = turnRequest(text, { timeout: '1', image: images, rule: [], sandbox: 'read-only' })
  return images.length === 0 ? text : inputFor(host, input as TurnInput)
}
