// What codex thinks of its own settings: does config.toml load, and what did it complain about when it started.
import type { CodexNotification, protocol } from '../../codex/index.ts'
import { type Check, fail, messageOf, ok, warn } from './check.ts'

type Warning = protocol.v2.ConfigWarningNotification
/** The settings as codex read them, or its refusal. */
export type ConfigRead = { readonly config: protocol.v2.Config } | { readonly error: unknown }

/** `file` is where the user's own settings are, if there are any. */
export function judgeConfig(
  read: ConfigRead,
  { file, hasFile, notices }: { file: string; hasFile: boolean; notices: readonly CodexNotification[] },
): Check[] {
  if ('error' in read) return brokenConfig(read.error, { file, notices })
  const { model, model_provider: provider } = read.config
  const named = [model && `model ${model}`, provider && `provider ${provider}`].filter((part) => part)
  const settings = named.length > 0 ? named.join(', ') : "Codex's default model"
  const what = hasFile ? `${file} loads: ${settings}` : `no config.toml yet: ${settings}`
  return [ok('config', what), ...notices.flatMap(noticeCheck)]
}

/** codex starts all the same, on its defaults, and says why in a warning: better than how it refuses to read. */
function brokenConfig(
  error: unknown,
  { file, notices }: { file: string; notices: readonly CodexNotification[] },
): Check[] {
  const why = notices.find((notice) => notice.method === 'configWarning' && notice.params.details !== null)
  const what = why ? describeWarning(why.params as Warning) : messageOf(error)
  const broken = fail('config', what, `correct ${file}: until then Codex ignores all of its settings`)
  return [broken, ...notices.filter((notice) => notice !== why).flatMap(noticeCheck)]
}

function noticeCheck(notice: CodexNotification): Check[] {
  switch (notice.method) {
    case 'configWarning':
      return [warn('notice', describeWarning(notice.params))]
    case 'deprecationNotice':
      return [warn('notice', sentences(notice.params.summary, notice.params.details))]
    case 'warning':
      return [warn('notice', notice.params.message)]
    default:
      return []
  }
}

function describeWarning({ summary, details, path: file }: Warning): string {
  const said = sentences(summary, details)
  return file && !said.includes(file) ? `${file}: ${said}` : said
}

function sentences(summary: string, details: string | null): string {
  return details ? `${summary} ${details}` : summary
}
