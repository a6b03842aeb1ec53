import type { Command } from 'commander'
import type { DrawbridgeClient, Host, Status } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { ago, type Cell, duration, printJson, printLines, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags } from './acting.ts'
import { findService } from './find-service.ts'

export function addStatusCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('status')
    .summary('whether the service runs, and what it does')
    .description(
      'Says whether the service runs, where, and what it does. Starts nothing; exit code 1 when none runs.',
    )
  addServiceOptions(command).action(
    acting(surroundings, (flags: ServiceFlags) => status(flags, surroundings)),
  )
  addExamples(command, ['drawbridge status', 'drawbridge status --json | jq .counts.byStatus'])
}

async function status(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const dataDir = dataDirOf(flags, surroundings)
  const found = await findService(dataDir)
  if (!found) {
    if (flags.json) printJson(surroundings, { running: false, dataDir })
    else surroundings.stdout.write(`No service runs for ${dataDir}\n`)
    return EXIT.failed
  }
  const { url } = found.record
  const facts = await readFacts(found.client)
  if (flags.json)
    printJson(surroundings, { running: true, dataDir, url, ...facts.status, appServers: facts.appServers })
  else show({ dataDir, url, ...facts }, surroundings)
  return EXIT.done
}

interface Facts {
  readonly status: Status
  readonly appServers: Host['appServers']
}

async function readFacts(client: DrawbridgeClient): Promise<Facts> {
  const [status, hosts] = await Promise.all([client.status(), client.hosts()])
  return { status, appServers: hosts.flatMap(({ appServers }) => appServers) }
}

function show(
  { dataDir, url, status: now, appServers }: Facts & { dataDir: string; url: string },
  surroundings: Surroundings,
): void {
  const at = Date.now()
  printLines(surroundings, [
    { text: `Drawbridge ${now.version} at ${url}${now.isStopping ? ' (stopping)' : ''}`, colour: 'bold' },
    `  up ${duration(at - now.startedAt)}, pid ${now.pid}, data in ${dataDir}${tasksIn(now)}`,
    ...(now.counts ? countLines(now.counts, at) : []),
    ...(appServers.length === 0 ? ['  app-servers: none'] : ['  app-servers:']),
  ])
  if (appServers.length > 0) printTable(surroundings, appServerTable(appServers, at))
}

function countLines(
  { byStatus, openApprovals, oldestApprovalAt, pendingNotices, deadNotices }: NonNullable<Status['counts']>,
  at: number,
): (string | Cell)[] {
  const tasks = Object.entries(byStatus).filter(([, count]) => count > 0)
  const oldest = oldestApprovalAt === null ? '' : `, the oldest asked ${ago(oldestApprovalAt, at)}`
  const open = asTyped(`  questions: ${openApprovals} open${oldest}: drawbridge approvals`)
  const dead = asTyped(`  notices: ${deadNotices} given up: drawbridge notify pending`)
  return [
    `  tasks: ${tasks.map(([name, count]) => `${count} ${name}`).join(', ') || 'none'}`,
    openApprovals === 0 ? '  questions: none open' : { text: open, colour: 'yellow' },
    ...(pendingNotices > 0 ? [`  notices: ${pendingNotices} still to be sent`] : []),
    ...(deadNotices > 0 ? [{ text: dead, colour: 'red' as const }] : []),
  ]
}

function tasksIn({ database }: Status): string {
  return database?.kind === 'postgres' ? `, tasks in ${database.place}` : ''
}

function appServerTable(appServers: Host['appServers'], now: number): Cell[][] {
  return appServers.map(({ pid, codexVersion, state, memoryBytes, threads, holds, startedAt, key }) => [
    { text: `    pid ${pid ?? '?'}` },
    { text: `codex ${codexVersion ?? '?'}` },
    { text: state },
    { text: memoryBytes === null ? '–' : `${Math.round(memoryBytes / 1024 ** 2)} MB` },
    { text: `${threads} ${threads === 1 ? 'thread' : 'threads'}, ${holds} in use` },
    { text: `up ${duration(now - startedAt)}` },
    { text: [key.codexHome, key.execHost && `for host ${key.execHost}`].filter(Boolean).join(' ') },
  ])
}
