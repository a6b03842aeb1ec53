// The repository that the demo works in: a toll with a bug, and a test that shows it. It needs nothing but Node.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

export const TEST_COMMAND = 'node toll.test.js'

export const FIX = `*** Begin Patch
*** Update File: toll.js
@@
-  return 2 * wheels * (1 - discount)
+  return 2 * wheels * (1 - discount / 100)
*** End Patch`

const README = `# toll

What a cart pays to cross the bridge: two pence for each wheel, less a discount in percent.

Test it with \`${TEST_COMMAND}\`.
`

// Not node:test: its runner starts processes that codex's sandbox does not let report, and it says more than fits a screen.
const TEST = `import { toll } from './toll.js'

const cases = [
  ['a cart pays two pence for each wheel', toll(4), 8],
]

for (const [name, got, wanted] of cases) {
  console.log(got === wanted ? \`✔ \${name}\` : \`✖ \${name}: wanted \${wanted}, got \${got}\`)
  if (got !== wanted) process.exitCode = 1
}
`

const FIRST = {
  'README.md': README.replace(', less a discount in percent', ''),
  'package.json': `${JSON.stringify({ name: 'toll', private: true, type: 'module', scripts: { test: TEST_COMMAND } }, null, 2)}\n`,
  'toll.js': `/** What a cart pays to cross, in pence. */
export function toll(wheels) {
  return 2 * wheels
}
`,
  'toll.test.js': TEST,
}

const SECOND = {
  'README.md': README,
  'toll.js': `/** What a cart pays to cross, in pence. The discount is in percent. */
export function toll(wheels, discount = 0) {
  return 2 * wheels * (1 - discount)
}
`,
  'toll.test.js': TEST.replace(', 8],\n', ", 8],\n  ['a farmer pays half', toll(4, 50), 4],\n"),
}

/** Where samples are: not in the data folder, which commands cannot read. */
export function samplesFolder(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache')
  return path.join(cache, 'drawbridge', 'demo')
}

/** Makes the folder and the repository in it. Without git it is a plain folder: the demo then does without history. */
export async function makeSample(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: folder, env: ownConfig(env) })
  await write(folder, FIRST)
  const hasGit = await git('-c', 'init.defaultBranch=main', 'init', '--quiet', '--template=').then(
    () => true,
    () => false,
  )
  if (hasGit) {
    // Of its own, so that a commit neither needs nor uses what the person has set for theirs.
    for (const [key, value] of GIT_CONFIG) await git('config', key, value)
    await commit(git, 'A toll for every wheel')
  }
  await write(folder, SECOND)
  if (hasGit) await commit(git, 'Farmers pay half')
}

const GIT_CONFIG = [
  ['user.name', 'Drawbridge demo'],
  ['user.email', 'demo@drawbridge.invalid'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '.git/hooks'],
  ['core.autocrlf', 'false'],
] as const

async function commit(git: (...args: string[]) => Promise<unknown>, message: string): Promise<void> {
  await git('add', '--all')
  await git('commit', '--quiet', '--message', message)
}

/** Where we run may itself be in a repository, or have settings that wait for somebody. */
function ownConfig(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
}
