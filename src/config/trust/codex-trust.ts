// What the user has told codex itself about a folder. Only read: codex's config.toml is the user's.
import path from 'node:path'
import { readSmallFile } from '../read-small-file.ts'
import { isTable } from '../untyped.ts'
import { checkoutTop, codexTop, falselyClaimedRoot, projectRoot, realPath } from './project-root.ts'
import { parseToml } from './read-layer.ts'

const MAX_CONFIG_BYTES = 16 * 1024 * 1024

export type CodexTrust = 'trusted' | 'untrusted'

export interface CodexProject {
  readonly folder: string
  readonly trust: CodexTrust
}

/** The nearest entry that applies: the folder, the top of its checkout, its main repository. null without one. */
export function codexTrust({ codexHome, folder }: { codexHome: string; folder: string }): CodexTrust | null {
  const entries = codexProjects(codexHome)
  const tops = [codexTop(folder), checkoutTop(folder)].sort((a, b) => b.length - a.length)
  const names = [path.resolve(folder), realPath(folder), ...tops, projectRoot(folder)]
  for (const name of names) {
    const entry = entries.find((each) => each.folder === name)
    if (entry) return entry.trust
  }
  return null
}

/**
 * Whether codex up to 0.142.5 takes the folder for trusted though nobody trusts it: its `.git` file says that it is a
 * worktree of a trusted repository, which knows nothing of it. Such a codex has to be told that it is untrusted.
 */
export function isForged(at: { codexHome: string; folder: string }): boolean {
  const claimed = falselyClaimedRoot(at.folder)
  if (claimed === null || codexTrust(at) !== null) return false
  return codexProjects(at.codexHome).some(({ folder, trust }) => folder === claimed && trust === 'trusted')
}

/** Every folder that codex's config.toml has an entry for; none when it cannot be read. */
export function codexProjects(codexHome: string): CodexProject[] {
  const read = readSmallFile(path.join(codexHome, 'config.toml'), MAX_CONFIG_BYTES)
  if (!('bytes' in read)) return []
  try {
    const { projects } = parseToml(read.bytes)
    return Object.entries(isTable(projects) ? projects : {}).flatMap(([folder, entry]) => {
      const trust = isTable(entry) ? entry.trust_level : null
      return trust === 'trusted' || trust === 'untrusted' ? [{ folder, trust }] : []
    })
  } catch {
    return []
  }
}
