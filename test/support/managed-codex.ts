// codex as an administrator would have it: with /etc/codex/requirements.toml. Only this codex sees that file, in a mount
// namespace of its own; nothing on the machine changes.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { bundledCodex } from './raw-codex.ts'

const UNSHARE = 'unshare --map-root-user --mount'

/** Whether this machine lets us: Linux with user namespaces, and overlays in them. */
export function canManageCodex(): boolean {
  try {
    const layers = 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w'
    const overlay = 'mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w /etc'
    execFileSync('sh', ['-c', `${UNSHARE} sh -c '${layers} && ${overlay}'`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The path of a program that is the bundled codex with these requirements. It ends with the test. */
export function managedCodex(requirements: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'managed-codex-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const layers = path.join(folder, 'layers')
  mkdirSync(layers)
  writeFileSync(path.join(folder, 'requirements.toml'), requirements)
  const inside = [
    `mount -t tmpfs tmpfs ${layers}`,
    `mkdir ${layers}/u ${layers}/w`,
    `mount -t overlay overlay -o lowerdir=/etc,upperdir=${layers}/u,workdir=${layers}/w /etc`,
    'mkdir -p /etc/codex',
    `cp ${folder}/requirements.toml /etc/codex/`,
    `exec '${bundledCodex()}' "$@"`,
  ]
  const program = path.join(folder, 'codex')
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${UNSHARE} sh -c '${inside.join(' && ').replaceAll("'", `'\\''`)}' codex "$@"\n`,
  )
  chmodSync(program, 0o755)
  return program
}
