import { type Command, Option } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { AddFlags, CheckFlags } from './hosts.ts'

const HELP = `
There are two ways, chosen when a host is added:
  exec    codex and its login stay on this machine. On the host runs a codex exec-server, which runs the commands of
          tasks and changes files there, under codex's sandbox. While this machine is off, nothing goes on.
  remote  codex itself runs on the host, with the login and the settings of the user there. Work goes on while this
          machine is off, and is found again.
ssh uses your own configuration, agent and known hosts.`

export function addHostCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const host = program
    .command('host')
    .summary('other machines that tasks run on')
    .description('Machines that are reached with ssh, for tasks.')
  if (isListed) return
  addAdd(host, surroundings)
  addList(host, surroundings)
  addCheck(host, surroundings)
  addRemove(host, surroundings)
  addExamples(
    host,
    [
      'drawbridge host add build me@build.example.com',
      ['drawbridge host check build', 'connects, and shows what is there'],
      ['drawbridge host provision build', 'brings codex there, if it is not'],
      'drawbridge task start --host build --cwd /srv/app "run the tests"',
    ],
    HELP,
  )
}

function addAdd(host: Command, surroundings: Surroundings): void {
  const add = host
    .command('add')
    .summary('add a machine that is reached with ssh')
    .description('Adds a machine that is reached with ssh. Connects to nothing yet: see `host check`.')
    .argument('<name>', 'what it is called here')
    .argument('<destination>', '[user@]host[:port], or a name from your ssh config')
    .option('--identity <file>', 'a key file (default: what ssh tries by itself)')
    .option('--jump <host>', '[user@]host[:port] to go through')
    .addOption(
      new Option('--mode <mode>', 'exec: codex and its login stay here; remote: they are there')
        .choices(['exec', 'remote'])
        .default(undefined, 'exec'),
    )
    .option('--codex <path>', 'the codex program on the host (default: found, or brought there)')
    .option('--label <label>', 'a word for lists; repeatable', collect, [])
  addExamples(add, [
    'drawbridge host add build me@build.example.com',
    ['drawbridge host add lab lab --jump gate.example.com', 'lab is a name in your ssh config'],
    [
      'drawbridge host add farm me@farm.example.com --mode remote',
      'work goes on there while this machine is off',
    ],
  ])
  addServiceOptions(add).action(
    acting(surroundings, async (name: string, destination: string, flags: AddFlags) => {
      const { addHost } = await import('./hosts.ts')
      return addHost({ name, destination }, flags, surroundings)
    }),
  )
}

function addCheck(host: Command, surroundings: Surroundings): void {
  for (const command of ['check', 'provision'] as const) {
    const provision = command === 'provision'
    const summary = provision ? 'bring codex there and start its server' : 'connect, and look at it'
    const check = host
      .command(command)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .argument('<name>', 'as `host list` shows it')
      .option('--accept-key <fingerprint>', 'you compared this fingerprint with that of the host: SHA256:…')
    addExamples(check, [
      `drawbridge host ${command} build`,
      [`drawbridge host ${command} build --accept-key SHA256:abc`, 'its key was not known'],
    ])
    addServiceOptions(check).action(
      acting(surroundings, async (name: string, flags: CheckFlags) => {
        const { checkHost } = await import('./hosts.ts')
        return checkHost(name, { ...flags, provision }, surroundings)
      }),
    )
  }
}

function addList(host: Command, surroundings: Surroundings): void {
  const list = host
    .command('list')
    .summary('list them')
    .description('Lists the machines that tasks can run on.')
  addExamples(list, ['drawbridge host list', ['drawbridge host list --json', 'for programs']])
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const { listHosts } = await import('./hosts.ts')
      return listHosts(flags, surroundings)
    }),
  )
}

function addRemove(host: Command, surroundings: Surroundings): void {
  const remove = host
    .command('rm')
    .summary('forget a host')
    .description('Forgets a host. Tasks on it wait until it is added again; on the host nothing changes.')
    .argument('<name>', 'as `host list` shows it')
  addExamples(remove, ['drawbridge host rm build', 'drawbridge host rm build --json'])
  addServiceOptions(remove).action(
    acting(surroundings, async (name: string, flags: ServiceFlags) => {
      const { removeHost } = await import('./hosts.ts')
      return removeHost(name, flags, surroundings)
    }),
  )
}
