// Brings a clone up to date: installs, generates the protocol types, builds. Does only what is stale, so a
// second run is quick. Runs on any Node that npm runs on (20 included), hence plain JavaScript.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.mjs'
import { buildProgram } from './build-program.mjs'
import { run, step } from './step.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

await step({
  name: 'Installing packages (Codex itself is about 440 MB; once)',
  makes: 'node_modules',
  from: ['package.json', 'package-lock.json', '.npmrc'],
  // Not `npm ci`: it refuses a lock file made where a registry lacked some other platform's optional packages.
  work: () => run('npm', ['install', '--no-save', '--include=dev', '--loglevel=error']),
})
await step({
  name: 'Generating protocol types from the installed Codex',
  makes: 'src/codex/protocol/generated',
  from: ['package-lock.json', 'scripts/generate-protocol.mjs'],
  work: async () => {
    const { generateProtocol } = await import('./generate-protocol.mjs')
    generateProtocol({ codex: bundledCodex(), out: path.resolve('src/codex/protocol/generated') })
  },
})
await buildProgram()
await buildConsole()

function bundledCodex() {
  const vendor = path.resolve(`node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`)
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const found = existsSync(vendor)
    ? readdirSync(vendor)
        .map((triple) => path.join(vendor, triple, 'bin', name))
        .find(existsSync)
    : undefined
  if (found) return found
  process.stderr.write(
    `setup failed: @openai/codex has no binary for ${process.platform}-${process.arch} here\n`,
  )
  process.exit(5)
}
