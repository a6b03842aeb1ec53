// `npm test`: everything there is to check, in two lanes beside each other: the tests, and the checks that are no
// tests. A part that fails stops no other; the last line sums up. Plain JavaScript for any Node that npm runs on.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inMemory } from './in-memory.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

/** Each is a script of package.json: what to run again when it fails. */
const CHECKS = ['check:types', 'check:lint', 'check:dead', 'test:package', 'test:mutations:sample']

const startedAt = Date.now()
if ((await run(process.execPath, ['scripts/setup.mjs'])).code !== 0) end([], { passed: 0, failed: 1 })
say('Running every test. Failures are shown as they happen; the last line sums up.')
const [checks, tests] = await Promise.all([runChecks(), runTests()])
end(checks, tests)

async function runChecks() {
  const results = []
  for (const script of CHECKS) {
    const { code, output, seconds } = await run('npm', ['run', '--silent', script], { isQuiet: true })
    if (code !== 0) say(output)
    say(`  ${code === 0 ? 'passed' : 'FAILED'}: npm run ${script} (${seconds} s)`)
    results.push({ script, isPassed: code === 0 })
  }
  return results
}

/** A run that ends without having written its counts is one failure: it broke down. */
async function runTests() {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-test-'))
  const counts = path.join(folder, 'counts.json')
  try {
    const { code } = await run(...inMemory('npm', ['run', '--silent', 'test:all']), {
      env: { ...process.env, DRAWBRIDGE_TEST_COUNTS: counts },
    })
    const { passed, failed } = JSON.parse(readFileSync(counts, 'utf8'))
    return { passed, failed: code === 0 ? failed : Math.max(failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function end(checks, { passed, failed }) {
  const broken = checks.filter(({ isPassed }) => !isPassed)
  for (const { script } of broken) say(`failed: npm run ${script}`)
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1)
  say(`${checks.length} checks and ${passed + failed} tests in ${minutes} minutes`)
  say(`${passed + checks.length - broken.length} passed, ${failed + broken.length} failed`)
  process.exit(failed + broken.length === 0 ? 0 : 1)
}

function run(command, args, { isQuiet = false, env = process.env } = {}) {
  const startedAt = Date.now()
  const stdio = isQuiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
  const child = spawn(command, args, { stdio, env, shell: process.platform === 'win32' })
  let output = ''
  const keep = (chunk) => {
    output += chunk
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', keep)
  return new Promise((resolve) => {
    const done = (code) => resolve({ code, output, seconds: Math.round((Date.now() - startedAt) / 1000) })
    child.on('error', (error) => {
      output += error.message
      done(1)
    })
    child.on('close', (code) => done(code ?? 1))
  })
}

/** The tests keep a line up to date on a terminal: it is cleared first. */
function say(text) {
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${text}\n`)
}
