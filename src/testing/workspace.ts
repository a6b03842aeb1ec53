import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeScratchFolder, type ScratchFolder } from './scratch-folder.ts'

export interface WorkspaceOptions {
  readonly dir?: string
  /** Make it a git repository. codex does not need one. */
  readonly git?: boolean
  /** Contents by relative path. */
  readonly files?: Readonly<Record<string, string>>
}

/** Makes a throw-away folder for codex to work in. */
export async function makeWorkspace(options: WorkspaceOptions = {}): Promise<ScratchFolder> {
  const workspace = await makeScratchFolder('workspace', options.dir)
  for (const [name, text] of Object.entries(options.files ?? {})) {
    const file = path.join(workspace.path, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  if (options.git) await promisify(execFile)('git', ['init', '--quiet'], { cwd: workspace.path })
  return workspace
}
