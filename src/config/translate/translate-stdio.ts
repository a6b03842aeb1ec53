// A server that is started as a command.
import { type FoundServer, type Interpolated, outline, plainText, writtenText } from '../sources/index.ts'
import type { CodexServer } from './codex-server.ts'
import { isDangerousVariable, isTestFolder } from './dangerous-variables.ts'
import { type FixedTextContext, fixedText } from './fixed-text.ts'
import { hasFolder, inProject, isRelative } from './relative-path.ts'
import {
  hidesMoreThanAWord,
  isSecretNamed,
  secretArguments,
  secretParts,
  shownArguments,
  shownValue,
  withoutFilledIn,
} from './secret-values.ts'
import { askedOf } from './translation.ts'

type Stdio = Pick<CodexServer, 'command' | 'args' | 'cwd' | 'env' | 'env_vars'>

export function translateStdio(server: FoundServer, context: FixedTextContext): Stdio {
  const command = commandOf(server, context)
  const args = server.args.map((arg, index) => fixedText(arg, `args[${index}]`, context))
  const cwd = cwdOf(server, context)
  const { env, env_vars } = translateEnv(server, context)
  checkArguments(
    server,
    args.map((arg, index) => withoutFilledIn(arg ?? writtenText(server.args[index]!), context.out.filledIn)),
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

/** Codex would look for a relative path in the folder of each task, and run what any repository has there. */
function commandOf(server: FoundServer, context: FixedTextContext): string | null {
  const command = fixedText(server.command!, 'command', context)
  if (command === null || !isRelative(command) || !hasFolder(command)) return command
  if (server.project !== null) return inProject(server.project, command)
  context.out.refuse(`command is the relative path ${command}: write it in full there`)
  return null
}

/** A server of a project is started in the project, as its own application does. */
function cwdOf(server: FoundServer, context: FixedTextContext): string | null {
  const cwd = server.cwd && fixedText(server.cwd, 'cwd', context)
  if (server.cwd && cwd === null) return null
  if (server.project !== null) return cwd === null ? server.project : inProject(server.project, cwd)
  if (cwd === null || !isRelative(cwd)) return cwd
  context.out.refuse(`cwd is the relative path ${cwd}: write it in full there`)
  return null
}

/** A secret in an argument cannot be a reference: without leave the server stays out. */
function checkArguments(
  server: FoundServer,
  args: readonly string[],
  { allowed, out }: FixedTextContext,
): void {
  const shown = shownArguments(args)
  for (const index of secretArguments(args)) {
    const { key, where } = askedOf(server, `args[${index}]`)
    out.secrets.push(args[index]!, ...secretParts(args[index]!))
    if (hidesMoreThanAWord(args[index]!, shown[index]!)) {
      out.refuse(
        `args[${index}] has a secret of several words or with signs of a shell, and cannot be shown without it: write the server into config.toml yourself`,
      )
      continue
    }
    if (allowed.secrets === 'all' || allowed.secrets.has(key)) continue
    out.ask({
      kind: 'secret',
      key,
      text: `copy the secret in args[${index}] of ${where} into config.toml`,
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
  const { key, where } = askedOf(server, about)
  if (isDangerousVariable(name) && !allowed.variables.has(name) && !allowed.variables.has(key)) {
    out.ask({
      kind: 'variable',
      key,
      text: `let ${where} start with ${name}=${shownValue(name, writtenText(value))}, which can make it run other code`,
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
  if (allowed.secrets === 'all' || allowed.secrets.has(key)) return text
  out.ask({ kind: 'secret', key, text: `copy the secret ${about} of ${where} into config.toml` })
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
