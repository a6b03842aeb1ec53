import type { ToolSource } from '../../api/index.ts'
import type { Cell } from '../screen/index.ts'

const HEAD = ['NAME', 'KIND', 'LABELS', 'TOOLS']

export function toolTable(sources: readonly ToolSource[]): Cell[][] {
  return [HEAD.map((text): Cell => ({ text, colour: 'dim' })), ...sources.map(rowOf)]
}

function rowOf({ name, kind, transport, labels, tools, problem }: ToolSource): Cell[] {
  const what: Cell =
    problem === null
      ? { text: tools.map((tool) => tool.name).join(', ') || 'codex asks the server' }
      : { text: `cannot be used: ${problem}`, colour: 'red' }
  return [
    { text: name, ...(problem !== null && { colour: 'red' as const }) },
    { text: transport === null ? kind : `${kind} (${transport})` },
    { text: labels.join(', ') || '–' },
    what,
  ]
}
