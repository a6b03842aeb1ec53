// Takes one change of config.toml back out of a text that was changed since.
import { isDeepStrictEqual } from 'node:util'
import { isTable, type Table } from '../untyped.ts'
import { withBlock, withoutBlock } from './managed-block.ts'
import { settled } from './settled.ts'
import { tomlValues } from './toml-values.ts'

export interface TextChange {
  readonly before: string | null
  readonly after: string | null
}

/** null where the part that was changed is not as the change left it. */
export function undoText(change: TextChange, now: string | null): string | null {
  if (now === null || change.after === null) return null
  const texts = { before: change.before ?? '', after: change.after, now }
  return withFormerBlock(texts) ?? withFormerLines(texts)
}

type Texts = Readonly<Record<'before' | 'after' | 'now', string>>

/** Where only our block was changed, and is as we left it, the rest may be anything. */
function withFormerBlock({ before, after, now }: Texts): string | null {
  const [old, ours, present] = [before, after, now].map((text) => withoutBlock(settled(text)))
  if (old!.text !== ours!.text || present!.block !== ours!.block || ours!.block === null) return null
  if (old!.block === null) return present!.text
  return withBlock(present!.text, old!.block.replace(/\n$/, '').split('\n'))
}

/** Where the changed lines are still there, once, and putting the old ones back changes exactly the same values. */
function withFormerLines({ before, after, now }: Texts): string | null {
  const [old, ours, present] = [before, after, now].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ]
  let top = 0
  while (top < old.length && top < ours.length && old[top] === ours[top]) top++
  let bottom = 0
  const most = Math.min(old.length, ours.length) - top
  while (bottom < most && old.at(-1 - bottom) === ours.at(-1 - bottom)) bottom++
  const written = ours.slice(top, ours.length - bottom)
  const place = placeOf(written, present, { above: ours[top - 1], below: ours[ours.length - bottom] })
  if (place === null) return null
  const text = present.toSpliced(place, written.length, ...old.slice(top, old.length - bottom)).join('\n')
  try {
    return isDeepStrictEqual(valueChanges(after, before), valueChanges(now, text)) ? text : null
  } catch {
    return null // it would not be TOML
  }
}

/** Where the lines are, by the lines around them if they are there several times. */
function placeOf(
  written: readonly string[],
  lines: readonly string[],
  { above, below }: Record<'above' | 'below', string | undefined>,
): number | null {
  let best = { score: written.length === 0 ? 0 : -1, places: [] as number[] }
  for (let at = 0; at + written.length <= lines.length; at++) {
    if (!written.every((line, index) => lines[at + index] === line)) continue
    const score = Number(lines[at - 1] === above) + Number(lines[at + written.length] === below)
    if (score > best.score) best = { score, places: [at] }
    else if (score === best.score) best.places.push(at)
  }
  return best.places.length === 1 ? best.places[0]! : null
}

/** What differs between two texts, by key. */
function valueChanges(from: string, to: string): Record<string, unknown> {
  const old = leavesOf(from)
  const fresh = leavesOf(to)
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  return Object.fromEntries(
    keys
      .filter((key) => !isDeepStrictEqual(old.get(key), fresh.get(key)))
      .map((key) => [key, [old.get(key), fresh.get(key)]]),
  )
}

function leavesOf(text: string): Map<string, unknown> {
  return new Map(leaves(tomlValues(text)))
}

function leaves(table: Table, above: readonly string[] = []): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string, unknown][] =>
    isTable(value) ? leaves(value, [...above, key]) : [[JSON.stringify([...above, key]), value]],
  )
}
