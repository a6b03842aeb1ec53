// Breaks each answer of the gate on purpose, in a copy, and shows which test notices. Every line below must find a
// test that fails; one that finds none says that a wrong answer could go to codex unseen.
//
//   node test/gate/mutations.ts [text]            only the mutations whose file or text holds this
//   node test/gate/mutations.ts --sample 12       so many, chosen by the commit: --seed <text> chooses others
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from './mutation-table.ts'

type Verdict = { readonly test: string } | 'SURVIVED' | 'BROKEN'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const requests = 'src/codex/requests'
/** A mutation that makes a test wait for ever shall not hold us up. */
const QUICK = ['--project', 'unit', '--testTimeout=5000']
const UNIT = [...QUICK, `${requests}/`]
/** These neither answer nor refuse. */
const SILENT = ['family.ts', 'index.ts', 'question.ts', 'request-incident.ts']
const TIMEOUT_MS = 120_000
const AT_ONCE = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string' } },
})
process.exitCode = await main(positionals[0] ?? '')

async function main(wanted: string): Promise<number> {
  const matching = mutations.filter((mutation) => label(mutation).includes(wanted))
  const chosen = values.sample === undefined ? matching : sampleOf(matching, Number(values.sample))
  const stale = [...matching.filter((mutation) => !isUnique(mutation)).map(label), ...filesWithoutMutation()]
  if (stale.length > 0) {
    say(`the table of mutations is out of date:\n  ${stale.join('\n  ')}`)
    return 2
  }
  const copies = Array.from({ length: AT_ONCE }, copyRepository)
  try {
    for (const tests of new Set([
      UNIT,
      ...chosen.flatMap((mutation) => (mutation.tests ? [mutation.tests] : [])),
    ])) {
      const before = await run(copies[0]!, tests)
      if (before === 'SURVIVED') continue
      say(`the tests fail without any mutation: ${typeof before === 'string' ? before : before.test}`)
      return 2
    }
    const queue = [...chosen]
    const survivors = await Promise.all(copies.map((copy) => breakEach(copy, queue)))
    const count = survivors.flat().length
    say(`${chosen.length} mutations, ${chosen.length - count} caught, ${count} not`)
    for (const survivor of survivors.flat()) say(`  SURVIVED ${survivor}`)
    return count === 0 ? 0 : 1
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  }
}

/** Which ones depends on the commit, so that in time each has its turn, and a failure can be repeated. */
function sampleOf(all: readonly Mutation[], count: number): Mutation[] {
  const seed = values.seed ?? commit()
  say(`${count} of ${all.length} mutations, by the seed ${seed}`)
  const rank = (mutation: Mutation) => createHash('sha256').update(seed).update(label(mutation)).digest('hex')
  return all.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count)
}

/** A package that was unpacked has no history. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim()
  } catch {
    return 'none'
  }
}

/** Takes mutations from the queue until it is empty. Gives those that no test noticed. */
async function breakEach(copy: string, queue: Mutation[]): Promise<string[]> {
  const survivors: string[] = []
  for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
    const file = path.join(copy, mutation.file)
    const original = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      original.replace(mutation.find, () => mutation.replace),
    )
    const verdict = await judge(copy, mutation)
    writeFileSync(file, original)
    if (typeof verdict === 'string') survivors.push(label(mutation))
    say(`${label(mutation)}\n    ${typeof verdict === 'string' ? verdict : `caught by: ${verdict.test}`}`)
  }
  return survivors
}

/** The tests nearest to the file first: they are quicker than all. */
async function judge(copy: string, { file, tests }: Mutation): Promise<Verdict> {
  if (tests) return run(copy, tests)
  const beside = file.replace(/\.ts$/, '.test.ts')
  const nearest = existsSync(path.join(copy, beside)) ? beside : `${requests}/families.test.ts`
  const verdict = await run(copy, [...QUICK, nearest])
  return verdict === 'SURVIVED' ? run(copy, UNIT) : verdict
}

/** The first test that fails in the copy. */
async function run(copy: string, tests: readonly string[]): Promise<Verdict> {
  const output = path.join(copy, 'verdict.json')
  rmSync(output, { force: true })
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--bail=1',
    '--reporter=json',
    `--outputFile=${output}`,
  ]
  const env = { ...process.env, DRAWBRIDGE_TEST_UNBUILT: '1' }
  const options = { cwd: copy, timeout: TIMEOUT_MS, env }
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [...args, ...tests], options, () => resolve())
  })
  return verdictOf(output)
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

function verdictOf(output: string): Verdict {
  let report: Report
  try {
    report = JSON.parse(readFileSync(output, 'utf8'))
  } catch {
    return 'BROKEN'
  }
  const failed = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) return { test: failed.fullName }
  return report.numPassedTests > 0 ? 'SURVIVED' : 'BROKEN'
}

/** What the tests need of the repository; packages are shared. */
function copyRepository(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'gate-mutations-'))
  for (const name of ['src', 'test', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(path.join(repository, name), path.join(copy, name), { recursive: true })
  symlinkSync(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

function isUnique({ file, find }: Mutation): boolean {
  return readFileSync(path.join(repository, file), 'utf8').split(find).length === 2
}

function filesWithoutMutation(): string[] {
  return readdirSync(path.join(repository, requests))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !SILENT.includes(name))
    .filter((name) => !mutations.some(({ file }) => file === `${requests}/${name}`))
    .map((name) => `${requests}/${name} has none`)
}

function label({ file, find, replace }: Mutation): string {
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  return `${file}: ${line(find)} → ${line(replace) || '(nothing)'}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
