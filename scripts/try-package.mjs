// Tries the package as its users get it: packed, installed into a fresh project, compiled with the oldest and the newest
// TypeScript, bundled and run, and loaded on a Node that is too old. Codex itself is the repository's own.
// Compilers, bundler and the old Node are installed once, into the user's cache folder.
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const OLDEST_TYPESCRIPT = '5.4.5'
const NEWEST_TYPESCRIPT = '7.0.2'
const OLD_NODE = '20.20.2'
const TOOLS = {
  'typescript-oldest': `npm:typescript@${OLDEST_TYPESCRIPT}`,
  'typescript-newest': `npm:typescript@${NEWEST_TYPESCRIPT}`,
  esbuild: '0.28.2',
  'old-node': `npm:node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@${OLD_NODE}`,
}
const DOORS = ['', '/hosts', '/tasks', '/api', '/testing']
const STEP_TIMEOUT_MS = 300_000

const project = mkdtempSync(path.join(tmpdir(), 'drawbridge-package-'))
try {
  const [tools] = await Promise.all([step('tools', installTools), step('package', installPackage)])
  await step('types', () => compileAll(tools))
  await step('bundles', () => runBundles(tools))
  await step(`Node ${OLD_NODE}`, () => refuseOldNode(tools))
} catch (error) {
  process.stderr.write(
    `the package does not work as its users get it\n${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`,
  )
  process.exitCode = 1
} finally {
  rmSync(project, { recursive: true, force: true })
}

async function step(name, work) {
  const startedAt = Date.now()
  const result = await work()
  process.stdout.write(`  ${name}: fine (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)\n`)
  return result
}

/** Whole or not at all: a folder that is there is complete. */
async function installTools() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
  const name = Object.values(TOOLS)
    .map((tool) => tool.split('@').at(-1))
    .join('-')
  const folder = path.join(
    cache,
    'drawbridge',
    'package-tools',
    `${process.platform}-${process.arch}-${name}`,
  )
  if (existsSync(folder)) return folder
  mkdirSync(path.dirname(folder), { recursive: true })
  const draft = mkdtempSync(`${folder}.`)
  writeFileSync(path.join(draft, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }))
  await npm(['install'], draft)
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** Without optional packages: those of `@openai/codex` are its 440 MB of binaries. */
async function installPackage() {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const { stdout } = await run(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', project],
    root,
  )
  const beside = [`@types/node@${devDependencies['@types/node']}`, `zod@${dependencies.zod}`]
  const flags = ['--omit=optional', '--no-package-lock', '--ignore-scripts', '--prefer-offline']
  await npm(['install', ...flags, `./${stdout.trim()}`, ...beside], project)
  cpSync(path.join(root, 'scripts/try-package'), project, { recursive: true })
}

async function compileAll(tools) {
  const strict = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
  }
  const nodenext = { ...strict, module: 'nodenext', moduleResolution: 'nodenext' }
  const bundler = {
    ...strict,
    module: 'esnext',
    moduleResolution: 'bundler',
    exactOptionalPropertyTypes: true,
  }
  for (const [name, compilerOptions] of Object.entries({ nodenext, bundler })) {
    const files = ['types.ts', 'program.ts']
    writeFileSync(path.join(project, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, files }))
    for (const compiler of ['typescript-oldest', 'typescript-newest']) {
      const tsc = path.join(tools, 'node_modules', compiler, 'bin', 'tsc')
      await run(process.execPath, [tsc, '-p', `tsconfig.${name}.json`], project)
    }
  }
}

/** `ws` is CommonJS, which a bundle of ES modules cannot run: there our own error must say so. */
async function runBundles(tools) {
  const { build } = await import(path.join(tools, 'node_modules/esbuild/lib/main.js'))
  const bundles = [
    { format: 'esm', outfile: 'bundle.mjs', socket: 'ws-not-loaded' },
    { format: 'esm', outfile: 'bundle-external.mjs', external: ['ws'], socket: 'app-server-unreachable' },
    { format: 'cjs', outfile: 'bundle.cjs', socket: 'app-server-unreachable' },
  ]
  for (const { socket, ...options } of bundles) {
    const outfile = path.join(project, options.outfile)
    const entryPoints = [path.join(project, 'program.ts')]
    await build({ ...options, entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'error' })
    const { stdout } = await run(ownNode(), [outfile], project, { DRAWBRIDGE_CODEX: ownCodex() })
    const expected = JSON.stringify({ status: 'completed', text: 'hello from a bundle', socket })
    if (stdout.trim() !== expected) throw new Error(`${options.outfile} said ${stdout}, not ${expected}`)
  }
}

async function refuseOldNode(tools) {
  const node = path.join(
    tools,
    'node_modules/old-node/bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  for (const door of DOORS) {
    const program = `import('codex-drawbridge${door}').then(() => 'it loaded', String).then(console.log)`
    const { stdout } = await run(node, ['-e', program], project)
    const isOurs = stdout.startsWith(
      `Error: codex-drawbridge needs Node 22.18 or newer; this is Node ${OLD_NODE}.`,
    )
    if (!isOurs) throw new Error(`codex-drawbridge${door} on Node ${OLD_NODE}: ${stdout}`)
  }
}

function ownNode() {
  return path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

function ownCodex() {
  return path.join(root, 'node_modules/@openai/codex/bin/codex.js')
}

function npm(args, cwd) {
  return run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], cwd)
}

function run(program, args, cwd, env = {}) {
  const options = {
    cwd,
    env: { ...process.env, ...env },
    timeout: STEP_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  }
  return promisify(execFile)(program, args, options)
}
