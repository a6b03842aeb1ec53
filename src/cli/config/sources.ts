// `drawbridge config sources`: what is configured elsewhere. Reads, and runs nothing.
import path from 'node:path'
import { redactValue } from '../../codex/index.ts'
import { type FoundSource, findSources, sourcePlaces } from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { type Cell, count, printJson, printTable, tell } from '../screen/index.ts'
import { machineOf } from './config-place.ts'

export interface SourcesFlags {
  readonly project?: string | true
  readonly json?: boolean
}

export function showSources(flags: SourcesFlags, surroundings: Surroundings): number {
  const machine = machineOf(surroundings)
  const project = projectOf(flags)
  const sources = findSources(machine, { project })
  if (flags.json) printJson(surroundings, redactValue(sources.map(sourceView)))
  else if (sources.length > 0) printTable(surroundings, table(sources))
  else tell(surroundings, `Nothing found in ${count(sourcePlaces(machine, project).length, 'place')}.`)
  return EXIT.done
}

/** The folder named, or the one we are in; null when no project is wanted. */
export function projectOf({ project }: Pick<SourcesFlags, 'project'>): string | null {
  if (project === undefined) return null
  return path.resolve(project === true ? '.' : project)
}

function sourceView({ application, label, level, file, profile, servers, problem }: FoundSource) {
  const names = servers.map(({ name, transport, isEnabled }) => ({ name, transport, isEnabled }))
  return { application, label, level, file, profile, servers: names, problem }
}

function table(sources: readonly FoundSource[]): Cell[][] {
  return [
    ['FROM', 'LEVEL', 'SERVERS', 'FILE'].map((text): Cell => ({ text, colour: 'dim' })),
    ...sources.map(({ application, profile, level, servers, file, problem }): Cell[] => [
      { text: profile === null ? application : `${application}/${profile}` },
      { text: level },
      problem
        ? { text: problem.message, colour: 'red' }
        : { text: servers.map(serverText).join(', ') || '–' },
      { text: problem?.line ? `${file}:${problem.line}:${problem.column}` : file },
    ]),
  ]
}

function serverText({ name, isEnabled, transport }: FoundSource['servers'][number]): string {
  const facts = [...(isEnabled ? [] : ['off']), ...(transport === 'sse' ? ['SSE'] : [])]
  return facts.length > 0 ? `${name} (${facts.join(', ')})` : name
}
