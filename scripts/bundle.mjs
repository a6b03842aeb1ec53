// Few files instead of many, because each costs time at the start. Plain JavaScript for any Node that npm runs on.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { filesUnder } from './step.mjs'

const ENTRY = 'main'

/**
 * Packages whose code is in the bundle of the command line. A start of the service reads 450 files of them otherwise, which
 * was two fifths of its processor time.
 */
const INLINED = [
  '@asteasolutions/zod-to-openapi',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@hono/zod-validator',
  '@opentelemetry/api',
  'bintrees',
  'commander',
  'hono',
  'kysely',
  'openapi3-ts',
  'prom-client',
  'tdigest',
  'zod',
]

/** The client library as one file, in place of those that tsc made; their types stay. In the folder of the project. */
export async function bundleLibrary() {
  for (const file of filesUnder('dist/codex')) if (file.endsWith('.js')) rmSync(file)
  const bundle = await rolldown({ input: 'src/codex/index.ts', platform: 'node', external: isPackage })
  await bundle.write({ file: 'dist/codex/index.js', format: 'esm', codeSplitting: false })
  await bundle.close()
}

/**
 * The command line, `dist/cli`: one file with what describes every command, and the work of each in others, which load
 * when it runs. In the folder of the project.
 */
export async function bundleCli() {
  rmSync('dist/cli', { recursive: true, force: true })
  const bundle = await rolldown({
    input: { [ENTRY]: 'src/cli/main.ts' },
    platform: 'node',
    external: isExternal,
    // No file of ours does anything by being loaded, so the door of a room costs only what is taken through it.
    treeshake: { moduleSideEffects: (id) => /[/\\]node_modules[/\\]/.test(id) },
    preserveEntrySignatures: false,
    plugins: [withoutExecutables],
    onLog: refuseLoadedTwice,
  })
  // Plain names: a stack trace can be read, and the compile cache has one entry for a file, however often it is built.
  // CommonJS starts a fifth of a bare Node sooner than ES modules do.
  const output = {
    dir: 'dist/cli',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  }
  const { output: chunks } = await bundle.generate(output)
  const atStart = modulesAtStart(chunks)
  const groups = [{ name: 'program', test: (id) => atStart.has(id) }]
  await bundle.write({ ...output, codeSplitting: { groups, includeDependenciesRecursively: false } })
  await bundle.close()
  writeFileSync('dist/cli/LICENSES.txt', INLINED.map(licenseOf).join('\n'))
}

function licenseOf(name) {
  const folder = path.join('node_modules', name)
  const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(path.join(folder, file), 'utf8') : ''
  return `${name} ${version}: ${license}\n\n${text}`
}

/** A door that is imported at the start and loaded later too brings all of its room to the start. */
function refuseLoadedTwice(level, log, handle) {
  if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message)
  handle(level, log)
}

/** commander loads child_process for commands that are programs of their own. There are none, and it takes 5 ms. */
const withoutExecutables = {
  name: 'without-executables',
  resolveId: (id, importer) => (isExecutables(id, importer) ? '\0no-executables' : null),
  load: (id) => (id === '\0no-executables' ? 'export default {}' : null),
}

function isExecutables(id, importer) {
  return id === 'node:child_process' && /[/\\]commander[/\\]/.test(importer ?? '')
}

/** The client library has none inside of it: its programs bring their own. */
function isPackage(id) {
  return /^[^./\0]/.test(id) && !path.isAbsolute(id)
}

/** All others stay where npm puts them. */
function isExternal(id, importer) {
  return isPackage(id) && !isInlined(id) && !isExecutables(id, importer)
}

function isInlined(id) {
  return INLINED.some((name) => id === name || id.startsWith(`${name}/`))
}

/** What the entry loads before it does anything: by itself the bundler makes a file of each set that is shared. */
function modulesAtStart(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const reached = new Set([`${ENTRY}.cjs`])
  for (const name of reached) for (const next of byName.get(name)?.imports ?? []) reached.add(next)
  return new Set([...reached].flatMap((name) => Object.keys(byName.get(name)?.modules ?? {})))
}
