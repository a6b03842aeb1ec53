// A server that is started as a command.
import { type FoundServer, type Interpolated, outline, plainText, writtenText } from '../sources/index.ts'
import type { CodexServer } from './codex-server.ts'
import { isDangerousVariable, isTestFolder } from './dangerous-variables.ts'
import { type FixedTextContext, fixedText } from './fixed-text.ts'
import { isSecretNamed, secretArguments, secretParts } from './secret-values.ts'

type Stdio = Pick<CodexServer, 'command' | 'args' | 'cwd' | 'env' | 'env_vars'>

export function translateStdio(server: FoundServer, context: FixedTextContext): Stdio {
  const command = fixedText(server.command!, 'command', context)
  const args = server.args.map((arg, index) => fixedText(arg, `args[${index}]`, context))
  const cwd = server.cwd && fixedText(server.cwd, 'cwd', context)
  const { env, env_vars } = translateEnv(server, context)
  checkArguments(
    server,
    args.map((arg, index) => arg ?? writtenText(server.args[index]!)),
    context,
  )
  if (command === null || args.includes(null) || (server.cwd && cwd === null)) return {}
  return {
    command,
    ...(args.length > 0 && { args: args as string[] }),
    ...(cwd && { cwd }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(env_vars.length > 0 && { env_vars }),
  }
}

/** A secret in an argument cannot be a reference: without leave the server stays out. */
function checkArguments(
  server: FoundServer,
  args: readonly string[],
  { allowed, out }: FixedTextContext,
): void {
  for (const index of secretArguments(args)) {
    const key = `${server.name} args[${index}]`
    out.secrets.push(args[index]!, ...secretParts(args[index]!))
    if (allowed.secrets === 'all' || allowed.secrets.has(key)) continue
    out.ask({
      kind: 'secret',
      key,
      text: `copy the secret in args[${index}] of ${server.name} into config.toml`,
    })
    out.refuse(
      `args[${index}] holds a secret, and Codex takes arguments only literally: import with --with secrets to copy it, or start the server by a script that reads it from the environment`,
    )
  }
}

function translateEnv(server: FoundServer, context: FixedTextContext) {
  const env: Record<string, string> = {}
  const env_vars: string[] = []
  for (const [name, value] of Object.entries(server.env)) {
    const kept = variable(server, { name, value }, context)
    if (kept === null) continue
    if (typeof kept === 'string') Object.defineProperty(env, name, { value: kept, enumerable: true })
    else env_vars.push(name)
  }
  return { env, env_vars }
}

/** Its text, REFERENCE where codex copies it from its own environment, null where it is left out. */
function variable(
  server: FoundServer,
  { name, value }: { name: string; value: Interpolated },
  context: FixedTextContext,
): string | typeof REFERENCE | null {
  const { allowed, out } = context
  const about = `env.${name}`
  if (!/^[^=\0]+$/.test(name)) {
    out.note(about, 'is left out: that is no name of a variable')
    return null
  }
  if (isDangerousVariable(name) && !allowed.variables.has(name)) {
    out.ask({
      kind: 'variable',
      key: name,
      text: `let ${server.name} start with ${name}, which can make it run other code`,
    })
    out.note(about, `is left out: it can make the server run other code; --allow-env ${name} imports it`)
    return null
  }
  const text = plainText(value)
  if (text === null) return reference(name, value, context)
  if (text === '') return text
  if (isTestFolder(text) && /_HOME$/.test(name)) {
    out.note(about, 'is left out: it names the folder of a test run')
    return null
  }
  if (!isSecretNamed(name, text)) return text
  out.secrets.push(text)
  const key = `${server.name} ${about}`
  if (allowed.secrets === 'all' || allowed.secrets.has(key)) return text
  out.ask({ kind: 'secret', key, text: `copy the secret ${about} of ${server.name} into config.toml` })
  out.note(
    about,
    `its value is not copied: Codex takes ${name} from its own environment; --with secrets copies it`,
  )
  out.needs.add(name)
  return REFERENCE
}

const REFERENCE = Symbol('reference')

/** Codex copies a variable under its own name only. */
function reference(name: string, value: Interpolated, { out }: FixedTextContext): typeof REFERENCE {
  const [only, ...rest] = value
  const isSame = only && rest.length === 0 && 'variable' in only && only.variable === name
  out.needs.add(name)
  for (const part of value) if ('text' in part && isSecretNamed(name, part.text)) out.secrets.push(part.text)
  if (!isSame)
    out.note(
      `env.${name}`,
      `Codex cannot fill in ${outline(value)}: set ${name} in its environment to the whole value`,
    )
  else if (only.fallback !== null)
    out.note(
      `env.${name}`,
      `its default is not carried over: Codex takes ${name} from its environment, or not at all`,
    )
  return REFERENCE
}
