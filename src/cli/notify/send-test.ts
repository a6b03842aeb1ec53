import { randomUUID } from 'node:crypto'
import type { Settings } from '../../config/index.ts'
import { NoticeSender, type SendResult } from '../../tasks/index.ts'
import type { Surroundings } from '../process/index.ts'
import { desktopNotice, noticeSettings } from '../serve/index.ts'

/** Sends one notice that says it is a test. */
export function sendTest(
  target: string,
  settings: Settings,
  { env, stderr, interrupted: signal }: Surroundings,
): Promise<SendResult> {
  const sender = new NoticeSender({
    ...noticeSettings(settings, (notice) => {
      stderr.write(`${notice.title}\n`)
      desktopNotice(notice, env)
    }),
    now: Date.now,
  })
  const told = {
    id: randomUUID(),
    title: 'Test from Drawbridge',
    text: 'This is a test. Notices about tasks would arrive here.',
  }
  const payload = JSON.stringify({ version: 1, cause: 'test', at: Date.now(), ...told })
  const notice = {
    ...told,
    taskId: 'test',
    cause: 'ended' as const,
    target,
    payload,
    attempts: 0,
    createdAt: Date.now(),
  }
  return sender.send(notice, { signal })
}
