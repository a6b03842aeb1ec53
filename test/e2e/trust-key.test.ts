// Whether our idea of which project a folder belongs to is that of the real codex: trust must be kept under its key.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  codexTrust,
  folderTrust,
  isForged,
  lookAtProject,
  projectRoot,
  TrustedFolders,
} from '../../src/config/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { bundledCodex, RawCodex } from '../support/raw-codex.ts'

function git(cwd: string, ...args: string[]): void {
  const config = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...config, ...args], { cwd, stdio: 'pipe' })
}

function repository(folder: string): void {
  mkdirSync(folder)
  git(folder, 'init', '-q')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'x')
}

/** Folders of every kind, each with a `.codex` folder of its own. */
function makeFolders(place: string): string[] {
  const at = (...names: string[]) => path.join(place, ...names)
  for (const name of ['repo', 'library']) repository(at(name))
  git(at('repo'), 'worktree', 'add', '-q', at('tree'))
  git(at('repo'), 'submodule', 'add', '-q', at('library'), 'module')
  git(place, 'clone', '-q', '--bare', at('repo'), 'bare.git')
  git(at('bare.git'), 'worktree', 'add', '-q', '--detach', at('bare-tree'))
  for (const name of ['repo/a/b', 'tree/a', 'plain', 'forged', 'invented', 'empty/.git', 'empty/in'])
    mkdirSync(at(name), { recursive: true })
  writeFileSync(at('forged/.git'), `gitdir: ${at('repo/.git/worktrees/tree')}\n`)
  writeFileSync(at('invented/.git'), `gitdir: ${at('repo/.git/worktrees/none')}\n`)
  symlinkSync(at('repo'), at('link'))
  const names = ['repo', 'repo/a/b', 'link', 'tree', 'tree/a', 'repo/module', 'bare-tree', 'plain']
  const folders = [...names, 'forged', 'invented', 'empty/in'].map((name) => at(name))
  for (const folder of folders) {
    mkdirSync(path.join(folder, '.codex'), { recursive: true })
    writeFileSync(path.join(folder, '.codex/config.toml'), 'model = "x"')
  }
  return folders
}

interface Layer {
  readonly name: { readonly type: string; readonly dotCodexFolder: string }
  readonly disabledReason?: string
}

it('agrees with codex on the key, the layers and the trust of every kind of folder', async () => {
  const [workspace, home] = await Promise.all([makeWorkspace(), makeWorkspace()])
  const folders = makeFolders(workspace.path)
  const trusted = path.join(workspace.path, 'repo')
  const nobodys = new TrustedFolders(path.join(home.path, 'trusted-folders.json'))
  writeFileSync(path.join(home.path, 'config.toml'), `[projects."${trusted}"]\ntrust_level = "trusted"\n`)
  const codex = new RawCodex(bundledCodex(), { env: { CODEX_HOME: home.path } })
  onTestFinished(async () => {
    await codex.close()
    await Promise.all([workspace.remove(), home.remove()])
  })
  await codex.request('initialize', { clientInfo: { name: 'raw', version: '0' } })
  for (const folder of folders) {
    const { result } = await codex.request('config/read', { cwd: folder, includeLayers: true })
    const layers = (result.layers as Layer[]).filter(({ name }) => name.type === 'project')
    const unknown = layers.flatMap(
      ({ disabledReason = '' }) => / add (\S+) as a trusted/.exec(disabledReason)?.[1] ?? [],
    )
    const ours = lookAtProject(folder)
    expect([folder, ...layers.map(({ name }) => path.resolve(name.dotCodexFolder)).sort()]).toEqual([
      folder,
      ...ours.layers.map((layer) => layer.folder.replace(ours.folder, folder)).sort(),
    ])
    const isTrusted = unknown.length === 0
    expect([folder, codexTrust({ codexHome: home.path, folder })]).toEqual([
      folder,
      isTrusted ? 'trusted' : null,
    ])
    const trust = folderTrust({ folder, codexHome: home.path, trusted: nobodys })
    expect([folder, trust.by]).toEqual([folder, isTrusted ? 'codex' : null])
    const name = path.basename(folder)
    const isForgery = name === 'forged' || name === 'invented'
    expect([folder, isForged({ codexHome: home.path, folder })]).toEqual([folder, isForgery])
    expect([folder, projectRoot(folder)]).toEqual([folder, isTrusted ? trusted : unknown[0]])
  }
})
