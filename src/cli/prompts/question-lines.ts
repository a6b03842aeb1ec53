// A question as a person reads it. Pure: what codex sent in, lines out; how much of it fits is the prompt's concern.
import { type PermissionsQuestion, permissionParts, type Question } from '../../codex/index.ts'
import { commandText } from '../../util/command-text.ts'
import { asTyped } from '../process/index.ts'
import { type Line, visible, visibleCode, visibleLine } from '../screen/index.ts'
import { diffLines } from './diff-lines.ts'

export interface QuestionLines {
  /** What is asked, by whom and why. */
  readonly head: readonly Line[]
  /** All that would be run, changed, granted or sent. Can be long. */
  readonly body: readonly Line[]
}

/** In an untrusted folder. Those on hosts are never trusted, and a confined task gains nothing by trust. */
const NO_NETWORK = 'a yes gives no network here; --network or `drawbridge trust` does'
const NO_NETWORK_THERE = 'a yes gives no network here; --network does'

export function questionLines(question: Question): QuestionLines {
  const { parent, threadId, reason, host } = question
  const facts = [
    ['for', parent ? `a sub-agent (thread ${threadId})` : null],
    ['why', reason],
    ['on', host === undefined ? null : `host ${host}`],
    ['in', 'cwd' in question ? question.cwd : null],
    [
      'note',
      question.kind === 'command' && question.escalation?.network === false
        ? asTyped(host === undefined && !question.escalation.isConfined ? NO_NETWORK : NO_NETWORK_THERE)
        : null,
    ],
  ]
  const told = facts.filter(([, fact]) => fact)
  return {
    head: [
      { text: `? ${visibleLine(heading(question))}`, style: ['bold', 'yellow'] },
      ...told.map(([name, fact]) => ({ text: `  ${name}: ${visibleLine(fact!)}` })),
    ],
    body: body(question),
  }
}

function heading(question: Question): string {
  switch (question.kind) {
    case 'command': {
      const isTyping = Object(question.params).kind === 'writeStdin'
      if (question.network) return `Codex asks to ${question.title}`
      return isTyping ? 'Codex asks to type into a running command' : 'Codex asks to run a command'
    }
    case 'file-change':
    case 'permissions':
      return `Codex asks to ${question.title}`
    case 'mcp-tool':
      return question.title
    case 'elicitation':
      return `The MCP server ${question.server} asks: ${question.message}`
    case 'user-input':
      return 'Codex wants to know'
  }
}

function body(question: Question): Line[] {
  switch (question.kind) {
    case 'command':
      return [
        ...(question.command === ''
          ? []
          : text(visibleCode(commandText(question.command)), { first: '  $ ', rest: '    ' })),
        ...(question.additionalPermissions ? json('with', question.additionalPermissions) : []),
      ]
    case 'file-change':
      return diffLines(question.changes).map(({ text: line, style }) => ({ text: `  ${line}`, style }))
    case 'permissions':
      return permissionLines(question)
    case 'mcp-tool':
      return [
        ...(question.description ? text(question.description, { first: '  ', rest: '  ' }) : []),
        ...json('with', question.arguments),
      ]
    case 'elicitation':
      return question.url === null ? [] : [{ text: `  ${visibleLine(question.url)}`, style: 'cyan' }]
    case 'user-input':
      return []
  }
}

function permissionLines({ permissions }: PermissionsQuestion): Line[] {
  return permissionParts(permissions).map(({ label }) => ({
    text: `  ${visibleCode(visibleLine(label))}`,
    style: 'cyan',
  }))
}

function json(name: string, value: unknown): Line[] {
  const given = value ?? {}
  if (Object.keys(Object(given)).length === 0) return []
  return text(`${name} ${JSON.stringify(given, null, 2)}`, { first: '  ', rest: '  ' })
}

function text(shown: string, indent: { first: string; rest: string }): Line[] {
  const lines = shown.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => ({
    text: `${index === 0 ? indent.first : indent.rest}${visible(line)}`,
    style: 'cyan' as const,
  }))
}
