import { codexTrust } from './codex-trust.ts'
import { lookAtProject, type ProjectLook } from './project-contents.ts'
import type { TrustedFolders } from './trusted-folders.ts'

export interface FolderTrust {
  readonly state: 'trusted' | 'untrusted'
  /** Where the trust is recorded; null without trust. */
  readonly by: 'drawbridge' | 'codex' | null
  /** What trust is, or would be, kept for. */
  readonly root: string
  /** Untrusted only because what it would start has changed since it was trusted. */
  readonly hasChanged: boolean
}

export interface TrustSources {
  readonly codexHome: string
  readonly trusted: TrustedFolders
}

/** Whether codex may start what this folder names. Throws a TrustError when our record cannot be read. */
export function folderTrust({ folder, ...sources }: TrustSources & { readonly folder: string }): FolderTrust {
  return trustOf(lookAtProject(folder, sources), { ...sources, folder })
}

/** The same of what has just been looked at. `folder` is as it was asked for, symlinks and all. */
export function trustOf(
  look: ProjectLook,
  { folder, codexHome, trusted }: TrustSources & { readonly folder: string },
): FolderTrust {
  const { root } = look
  const standing = trusted.standing(look)
  if (standing === 'trusted') return { state: 'trusted', by: 'drawbridge', root, hasChanged: false }
  if (codexTrust({ codexHome, folder }) === 'trusted')
    return { state: 'trusted', by: 'codex', root, hasChanged: false }
  return { state: 'untrusted', by: null, root, hasChanged: standing === 'changed' }
}
