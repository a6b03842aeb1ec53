// What trusting a folder would start and change, as a person reads it: whole, with everything that could deceive spelled
// out. Pure: a look in, lines out.
import type { FolderTrust, ProjectLayer, ProjectLook } from '../../config/index.ts'
import { spelledOut, visible } from '../screen/index.ts'

/** Nothing is cut; a line can be longer than the screen is wide. */
export function trustCardLines(look: ProjectLook, trust: FolderTrust): string[] {
  return [
    `Folder:   ${exact(look.folder)}`,
    ...(look.root === look.folder ? [] : [`Project:  ${exact(look.root)} (trust counts for all of it)`]),
    `Trust:    ${stateText(trust)}`,
    '',
    ...contentLines(look),
    '',
    ...EFFECTS,
  ]
}

/** What stops a person from trusting it; null when nothing does. */
export function whyNotTrustable({ layers }: ProjectLook): string | null {
  const hidden = layers.find(({ problem }) => problem !== null)
  return hidden ? `${exact(hidden.folder)}: ${exact(hidden.problem!)}` : null
}

const EFFECTS = [
  'Once trusted:  Codex works here in its usual sandbox. A command you approve can use the network and every file you can.',
  'Either way:    keys and tokens stay out of the environment of commands, and your rules decide what runs without asking.',
]

function stateText({ state, by, hasChanged }: FolderTrust): string {
  if (by === 'codex') return "trusted, by Codex's own config.toml"
  if (state === 'trusted') return 'trusted'
  return hasChanged ? 'untrusted: what it would start has changed since you trusted it' : 'untrusted'
}

function contentLines({ layers }: ProjectLook): string[] {
  if (layers.length === 0)
    return ['The project names nothing of its own: no MCP servers, hooks, rules or Codex settings.']
  return ['Trust starts and applies what the project names:', ...layers.flatMap(layerLines)]
}

function layerLines(layer: ProjectLayer): string[] {
  const { folder, mcpServers, hooks, rules, agents, settings, problem } = layer
  return [
    `  ${exact(folder)}`,
    ...(problem === null ? [] : [`    Cannot be shown whole, and so not be trusted: ${exact(problem)}`]),
    ...mcpServers.flatMap(serverLines),
    ...hooks.flatMap(({ event, command, file }) => [
      `    Hook on ${exact(event)} (${exact(file)}), runs outside the sandbox:`,
      `      $ ${exact(command)}`,
    ]),
    ...rules.map((file) => `    Rules for commands: ${exact(file)}`),
    ...agents.map((file) => `    Sub-agent: ${exact(file)}`),
    ...settings.map(({ key, value }) => `    Setting: ${exact(key)} = ${exact(value)}`),
  ]
}

function serverLines({ name, command, args, url, envNames }: ProjectLayer['mcpServers'][number]): string[] {
  const env = envNames.length === 0 ? [] : [`      with variables ${envNames.map(exact).join(', ')}`]
  if (command === null && url !== null)
    return [`    MCP server ${exact(name)}, connects to:`, `      ${exact(url)}`, ...env]
  return [
    `    MCP server ${exact(name)}, runs outside the sandbox:`,
    `      $ ${command === null ? '(no command)' : exact(shellLine([command, ...args]))}`,
    ...(url === null ? [] : [`      ${exact(url)}`]),
    ...env,
  ]
}

/** As one would type it: each word is told from the next. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

/** On one line: a newline in a command must not look like the next line of the card. */
function exact(text: string): string {
  return visible(text).replace(/[\t\n]/g, spelledOut)
}
