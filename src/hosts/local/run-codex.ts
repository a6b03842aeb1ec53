import { type LocalHostOptions, localCodex } from './local-codex.ts'
import { type BriefRun, runBriefly } from './run-briefly.ts'

/** Runs a command of codex to its end, with the codex and the environment that app-servers have. A secret goes to its stdin. */
export async function runCodex(
  args: readonly string[],
  options: LocalHostOptions & {
    readonly input?: string
    readonly timeoutMs: number
    readonly signal?: AbortSignal
  },
): Promise<BriefRun> {
  const { input, timeoutMs, signal, ...host } = options
  const local = localCodex(host)
  const { path } = await local.inspect({ signal })
  return runBriefly(path, args, { env: { ...local.settings.env }, timeoutMs, input, signal })
}
