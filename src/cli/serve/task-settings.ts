import type { Settings } from '../../config/index.ts'
import type { NoticeSettings, TaskSettings } from '../../tasks/index.ts'

/** For an answer of whoever is notified. */
const NOTICE_MS = 15_000

type Local = NoticeSettings['local']

/** The settings as the task service takes them. */
export function taskSettings(
  settings: Settings,
  { local, url }: { local: Local; url: () => string | null },
): TaskSettings {
  const { maxWorking, notify, approvalTimeoutMs, maxDepth } = settings
  return {
    maxWorking,
    notify,
    approvalTimeoutMs,
    maxDepth,
    // Known only once the service listens.
    get baseUrl() {
      return settings.baseUrl ?? url()
    },
    notices: noticeSettings(settings, local),
  }
}

export function noticeSettings(settings: Settings, local: Local): Omit<NoticeSettings, 'now'> {
  const { targets: named, smtp, allowPrivate, webhookSecret } = settings
  return {
    named,
    smtp,
    allowPrivate,
    webhookSecret,
    local,
    timeoutMs: NOTICE_MS,
    telegramUrl: 'https://api.telegram.org',
    slackApiUrl: 'https://slack.com/api',
  }
}
