import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'

/** Makes a key pair in `file` and `file.pub`, in place of one that was there. */
export function makeKey(file: string): void {
  rmSync(file, { force: true })
  rmSync(`${file}.pub`, { force: true })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
}

/** The type and the key itself, without the comment. */
export function publicKey(file: string): string {
  return readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
}

/** As ssh shows it: `SHA256:…`. */
export function fingerprintOf(file: string): string {
  return execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1]!
}
