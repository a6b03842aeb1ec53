import path from 'node:path'
import type { Host } from '../../api/index.ts'
import { EXIT, hostModeText, loginAdvice, type Surroundings } from '../process/index.ts'
import { type Cell, printJson, printTable, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { uploadText, whileUploading } from './upload.ts'

export interface AddFlags extends ServiceFlags {
  readonly identity?: string
  readonly jump?: string
  readonly mode?: 'exec' | 'remote'
  readonly codex?: string
  readonly label: readonly string[]
}

export interface CheckFlags extends ServiceFlags {
  readonly acceptKey?: string
  readonly provision?: boolean
}

export async function addHost(
  named: { readonly name: string; readonly destination: string },
  flags: AddFlags,
  surroundings: Surroundings,
): Promise<number> {
  const { identity, jump, codex, mode, label } = flags
  const client = await serviceClient(flags, surroundings)
  const host = await client.addHost({
    ...named,
    ...(identity !== undefined && { identity: path.resolve(identity) }),
    ...(jump !== undefined && { jump }),
    ...(codex !== undefined && { codexPath: codex }),
    ...(mode !== undefined && { mode }),
    labels: [...label],
  })
  if (flags.json) printJson(surroundings, host)
  else {
    tell(surroundings, `${named.name} is added, ${hostModeText(mode ?? 'exec', named.name)}.`)
    tell(surroundings, `Look at it: drawbridge host check ${named.name}`)
  }
  return EXIT.done
}

export async function listHosts(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const hosts = await (await serviceClient(flags, surroundings)).hosts()
  if (flags.json) printJson(surroundings, hosts)
  else printTable(surroundings, hostTable(hosts))
  return EXIT.done
}

function hostTable(hosts: readonly Host[]): Cell[][] {
  return [
    ['NAME', 'WHERE', 'MODE', 'STATE', 'LABELS'].map((text): Cell => ({ text, colour: 'dim' })),
    ...hosts.map(({ id, ssh }) => [
      { text: id },
      { text: ssh?.destination ?? 'this machine' },
      { text: ssh === null ? '–' : ssh.mode },
      { text: ssh === null ? '–' : stateText(ssh) },
      { text: ssh?.labels.join(', ') || '–' },
    ]),
  ]
}

type Ssh = NonNullable<Host['ssh']>

function stateText({ upload, problem, state }: Ssh): string {
  return upload ? uploadText(upload) : (problem ?? state)
}

export async function checkHost(
  name: string,
  flags: CheckFlags,
  surroundings: Surroundings,
): Promise<number> {
  const { acceptKey, provision } = flags
  const client = await serviceClient(flags, surroundings)
  if (provision && !flags.json)
    tell(
      surroundings,
      `Looking for codex on ${name}; it is brought there if none fits, which can take minutes.`,
    )
  const ask = () => client.checkHost(name, { ...(acceptKey !== undefined && { acceptKey }), provision })
  const onUpload = (text: string) => !flags.json && tell(surroundings, `  ${text}`)
  const found = await (provision ? whileUploading(ask, { client, name, onUpload }) : ask())
  if (flags.json) {
    printJson(surroundings, found)
    return EXIT.done
  }
  const { user, home, platform, arch, codex, server, mode, hasLogin } = found
  // A host could answer with more lines, which would look like ours.
  tell(surroundings, visibleLine(`${name}: ${user} on ${platform} ${arch}, home ${home}`))
  for (const each of codex)
    tell(surroundings, visibleLine(`  codex ${each.version ?? 'of no version'} at ${each.path}`))
  if (codex.length === 0) tell(surroundings, '  no codex yet: it is brought there when it is needed')
  tell(surroundings, `  ${hostModeText(mode, name)}`)
  if (hasLogin === false) tell(surroundings, `  no login there in ~/.codex. ${loginAdvice(`ssh:${name}`)}`)
  const kind = mode === 'remote' ? 'app-server' : 'exec-server'
  if (server !== null) tell(surroundings, `  codex ${kind} ${server} runs there`)
  return EXIT.done
}

export async function removeHost(
  name: string,
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  await (await serviceClient(flags, surroundings)).removeHost(name)
  if (flags.json) printJson(surroundings, { name })
  else tell(surroundings, `${name} is forgotten.`)
  return EXIT.done
}
