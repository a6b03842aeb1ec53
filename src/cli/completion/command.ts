import { Argument, type Command } from 'commander'
import type { DrawbridgeClient, Worker } from '../../api/index.ts'
import { addExamples, type Example } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { visible } from '../screen/index.ts'
import { dataDirOf, findService } from '../service/index.ts'
import { type Candidate, complete, type Naming } from './candidates.ts'
import { matchingIds } from './matching-ids.ts'
import { SCRIPTS, type Shell } from './scripts.ts'

/** Somebody waits at a keyboard: without an answer in this time there are no ids. */
const ANSWER_MS = 700

const EXAMPLES: readonly Example[] = [
  ['source <(drawbridge completion bash)', 'in ~/.bashrc'],
  [`drawbridge completion zsh > "\${fpath[1]}/_drawbridge"`, 'once'],
  ['drawbridge completion fish > ~/.config/fish/completions/drawbridge.fish', 'once'],
]

export function addCompletionCommand(program: Command, surroundings: Surroundings): void {
  const { stdout, exit } = surroundings
  const completion = program
    .command('completion')
    .summary('a script that completes commands, options and ids in your shell')
    .description('Prints a script that completes commands, options and ids in your shell.')
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(SCRIPTS)))
    .action((shell: Shell) => {
      stdout.write(SCRIPTS[shell])
      exit(EXIT.done)
    })
  addExamples(completion, EXAMPLES)
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { candidates, ids } = complete(program, words)
      const typed = words.at(-1) ?? ''
      const found = ids ? matching(ids, typed, await idsOf(ids, surroundings)) : []
      for (const { value, description } of [...candidates, ...found])
        stdout.write(`${value}\t${visible(description.split('\n', 1)[0]!)}\n`)
      exit(EXIT.done)
    })
}

/** Workers are completed by name: there are few, and nobody knows their ids. */
function matching(naming: Naming, typed: string, all: readonly Candidate[]): Candidate[] {
  if (naming !== 'worker' && naming !== 'place') return matchingIds(typed, all)
  return all.filter(({ value }) => value.startsWith(typed))
}

async function idsOf(naming: Naming, surroundings: Surroundings): Promise<Candidate[]> {
  try {
    const service = await findService(dataDirOf({}, surroundings), { timeoutMs: ANSWER_MS })
    const signal = AbortSignal.timeout(ANSWER_MS)
    return service ? await LISTS[naming](service.client, signal) : []
  } catch {
    return []
  }
}

const LISTS: Readonly<
  Record<Naming, (client: DrawbridgeClient, signal: AbortSignal) => Promise<Candidate[]>>
> = {
  task: async ({ tasks }, signal) =>
    (await tasks.list({ limit: 50 }, { signal })).items.map(({ id, status, title }) => ({
      value: id,
      description: `${status}: ${title}`,
    })),
  approval: async (client, signal) =>
    (await client.approvals({ status: 'pending', limit: 50 }, { signal })).items.map(({ id, question }) => ({
      value: id,
      description: question.title,
    })),
  notice: async (client, signal) =>
    (await client.notices({ limit: 50 }, { signal })).items.map(({ id, status, title }) => ({
      value: id,
      description: `${status}: ${title}`,
    })),
  rule: async (client, signal) =>
    (await client.rules({ signal })).map(({ id, text }) => ({ value: id, description: text })),
  worker: async (client, signal) => (await client.workers({ signal })).map(ofWorker),
  place: async (client, signal) => {
    const workers = await client.workers({ signal })
    const labels = [...new Set(workers.flatMap((worker) => worker.labels))]
    return [
      ...workers.map(ofWorker),
      ...labels.map((value) => ({ value, description: 'a label of workers' })),
    ]
  },
}

function ofWorker({ name, state, working, capacity }: Worker): Candidate {
  return { value: name, description: `${state}, ${working} of ${capacity} working` }
}
