import { readFileSync } from 'node:fs'
import path from 'node:path'
import { bundledCodex } from '../../../src/hosts/local/npm-codex.ts'

/** Of the codex that is installed next to us. */
export function codexVersionHere(): string {
  return (JSON.parse(readFileSync('node_modules/@openai/codex/package.json', 'utf8')) as { version: string })
    .version
}

/** The folder with its binary and what belongs to it. */
export function codexPackageHere(): string {
  return path.dirname(path.dirname(bundledCodex(process)!))
}
