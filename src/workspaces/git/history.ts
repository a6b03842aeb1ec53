// The states of a workspace, in a repository of ours that borrows the objects of the user's. What is compared and kept is kept
// here: nothing is written to the user's repository before somebody asks for it, its configuration is never read for that,
// and an index of ours cannot have been prepared by what ran in the workspace.
import path from 'node:path'
import { hasCode } from '../../codex/index.ts'
import type { MachineFiles } from '../../hosts/index.ts'
import type { Git, GitPlace } from './run-git.ts'

export interface HistoryOptions {
  /** Its own folder. */
  readonly dir: string
  /** The workspace. */
  readonly folder: string
}

interface NewHistory {
  readonly commonDir: string
  /** The repository that says whose the commits are, and how files are read. */
  readonly settingsFrom: string
  /** What the checkout knows of its files: saves reading all of them again. */
  readonly indexFile: string
  readonly base: string
  /** Whether the repository's own filters run on its files. */
  readonly filters: boolean
}

/** How git reads files, and whose the commits are. */
const KEPT =
  /^(core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|safecrlf)|user\.(name|email)|extensions\.objectformat)$/
const FILTERS = /^filter\.[\s\S]+\.(clean|smudge|process|required)$/

export class History {
  readonly #git: Git
  readonly place: GitPlace
  readonly dir: string

  constructor(git: Git, { dir, folder }: HistoryOptions) {
    this.#git = git
    this.dir = dir
    const overrides = { 'core.bare': 'false', 'user.useConfigOnly': 'true' }
    this.place = { gitDir: dir, workTree: folder, indexFile: path.join(dir, 'index'), overrides }
  }

  get files(): MachineFiles {
    return this.#git.machine.files
  }

  /** Begins with `base`, as the state before the first turn. What was there before is gone. */
  async make({ commonDir, settingsFrom, indexFile, base, filters }: NewHistory): Promise<void> {
    const { files } = this
    const inside = (...names: string[]) => path.join(this.dir, ...names)
    await files.remove(this.dir)
    await Promise.all(['objects/info', 'refs/turns', 'info'].map((folder) => files.mkdir(inside(folder))))
    await Promise.all([
      this.borrowFrom([commonDir]),
      copyIfThere(files, path.join(commonDir, 'info', 'exclude'), inside('info', 'exclude')),
      copyIfThere(files, path.join(commonDir, 'shallow'), inside('shallow')),
      files.copy(indexFile, inside('index')),
      files.write(inside(stateRef(1)), `${base}\n`),
      this.#settings(settingsFrom, filters).then((text) => files.write(inside('config'), text)),
    ])
    // Last: with it, this is a repository.
    await files.write(inside('HEAD'), 'ref: refs/heads/none\n')
  }

  /** Whose objects it reads besides its own. */
  async borrowFrom(commonDirs: readonly string[]): Promise<void> {
    const lines = commonDirs.map((dir) => `${path.join(dir, 'objects')}\n`)
    await this.files.write(path.join(this.dir, 'objects', 'info', 'alternates'), lines.join(''))
  }

  /** The files as they are now, without those that the repository ignores, as a tree. */
  async tree(): Promise<string> {
    return (await this.state()).tree
  }

  /** The same, and the folders that are repositories of their own: those are no part of it. */
  async state(): Promise<{ readonly tree: string; readonly inner: readonly string[] }> {
    // Not `git add`: it runs `git status` in repositories inside of this one, under their own configuration.
    const look = ['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=all']
    const changed = await this.#git.list(this.place, look)
    const others = await this.#git.list(this.place, ['ls-files', '-z', '--others', '--exclude-standard'])
    const isGone = (_: string, at: number) => at % 2 === 1 && changed[at - 1] === 'D'
    const isThere = (_: string, at: number) => at % 2 === 1 && changed[at - 1] !== 'D'
    // First what is gone: where its folder was there may be a link now, or a file.
    await this.#update(['--force-remove'], changed.filter(isGone))
    const added = [...changed.filter(isThere), ...others.filter((name) => !name.endsWith('/'))]
    await this.#update(['--add', '--remove', '--replace'], added)
    const tree = await this.#git.text(this.place, ['write-tree'])
    return { tree, inner: others.filter((name) => name.endsWith('/')) }
  }

  async #update(how: readonly string[], names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const input = names.map((name) => `${name}\0`).join('')
    await this.#git.run(this.place, ['update-index', ...how, '-z', '--stdin'], { input })
  }

  /** Keeps how the files are before this turn. */
  async keepBefore(turn: number): Promise<void> {
    await this.#git.run(this.place, ['update-ref', stateRef(turn), await this.tree()])
  }

  /** The state before a turn; null: nobody kept it. */
  async before(turn: number): Promise<string | null> {
    return this.named(stateRef(turn))
  }

  async named(ref: string): Promise<string | null> {
    const found = await this.#git.run(this.place, ['rev-parse', '--verify', '-q', ref], { exits: [0, 1] })
    return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : null
  }

  async name(ref: string, object: string): Promise<void> {
    await this.#git.run(this.place, ['update-ref', ref, object])
  }

  /** What the repository says of its files, and whose commits are made; nothing else of its configuration. */
  async #settings(from: string, filters: boolean): Promise<string> {
    const listed = await this.#git.list({ gitDir: from }, ['config', '--list', '--local', '-z'])
    const kept = listed
      .map((entry) => [entry.split('\n', 1)[0]!, entry.slice(entry.indexOf('\n') + 1)] as const)
      .filter(([key]) => KEPT.test(key) || (filters && FILTERS.test(key)))
    const format = kept.some(([key]) => key === 'extensions.objectformat') ? 1 : 0
    const lines = kept.map(([key, value]) => settingLine(key, value))
    return [`[core]\n\trepositoryformatversion = ${format}\n\tbare = true\n`, ...lines].join('')
  }
}

/** A section for each, as git reads it. */
function settingLine(key: string, value: string): string {
  const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  const inner = key.slice(section.length + 1, -name.length - 1)
  const head = inner === '' ? section : `${section} ${quoted(inner)}`
  return `[${head}]\n\t${name} = ${quoted(value)}\n`
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`
}

function stateRef(turn: number): string {
  return `refs/turns/${turn}`
}

async function copyIfThere(files: MachineFiles, from: string, to: string): Promise<void> {
  await files.copy(from, to).catch((error: unknown) => {
    if (!hasCode(error, 'not-found')) throw error
  })
}
