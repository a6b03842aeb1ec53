// Notices: what was sent and what was not, sending it again, and whether a target works.
import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags } from '../service/index.ts'
import { addNoticeList, addPendingNotices } from './list.ts'
import { addNoticeDryRun, addNoticeRetry } from './retry.ts'

export function addNotifyCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const notify = program
    .command('notify')
    .summary('notices about tasks: what was sent, what was not')
    .description(
      'Notices tell people that a task asks, has ended, is limited or lost. Targets are in settings.json.',
    )
  if (isListed) return
  addNoticeList(notify, surroundings)
  addPendingNotices(notify, surroundings)
  addNoticeRetry(notify, surroundings)
  addNoticeDryRun(notify, surroundings)
  addTest(notify, surroundings)
  addExamples(notify, [
    ['drawbridge notify test local', 'does a target work?'],
    ['drawbridge notify list', 'what people were told, and were not'],
    ['drawbridge notify retry', 'all that were given up'],
  ])
}

function addTest(notify: Command, surroundings: Surroundings): void {
  const test = notify
    .command('test')
    .summary('send a test to a target')
    .description('Sends a test to a target, with the settings as they are now. Needs no running service.')
    .argument('<target>', 'a name from settings.json, or like webhook:https://…')
  addServiceOptions(test).action(
    acting(surroundings, async (target: string, flags: ServiceFlags) => {
      const { readSettings } = await import('../../config/index.ts')
      const settings = readSettings(dataDirOf(flags, surroundings), surroundings.env)
      const { sendTest } = await import('./send-test.ts')
      const result = await sendTest(target, settings, surroundings)
      if (flags.json) printJson(surroundings, result)
      else tell(surroundings, result.ok ? 'Sent.' : `Not sent: ${result.error}`)
      return result.ok ? EXIT.done : EXIT.failed
    }),
  )
  addExamples(test, [
    'drawbridge notify test local',
    ['drawbridge notify test team', 'a name from settings.json'],
    'drawbridge notify test webhook:https://example.com/hook',
  ])
}
