import type { TaskSettings } from '../../src/tasks/index.ts'

/** Nobody is told anything. */
export const NO_NOTICES: TaskSettings['notices'] = {
  named: {},
  smtp: null,
  allowPrivate: true,
  timeoutMs: 5_000,
  local: () => {},
  webhookSecret: null,
  telegramUrl: 'http://127.0.0.1:9',
  slackApiUrl: 'http://127.0.0.1:9',
}
