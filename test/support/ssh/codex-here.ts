import { readFileSync } from 'node:fs'

/** Of the codex that is installed next to us. */
export function codexVersionHere(): string {
  return (JSON.parse(readFileSync('node_modules/@openai/codex/package.json', 'utf8')) as { version: string })
    .version
}
