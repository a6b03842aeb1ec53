// The last words of the demo model. All of it is what codex has told it: nothing is said that did not happen.
import { failingTest, outcomeOf, printed, type Seen } from './seen.ts'

const MAX_QUOTED = 160
const HERE = /\b(folder|director|project|repo|code ?base|files?\b|this do|is this|in here)/i
const THE_STORY = /\b(fix|repair|debug)\b|\bfail|\brun\b.*\btests?\b/i

export function answer(seen: Seen): string {
  return [...opening(seen), whatHappened(seen), MODEL].join('\n\n')
}

const MODEL =
  'My part is scripted; Codex, its sandbox, the commands and the change are real. ' +
  'With a login (`drawbridge login`) a real model does what you ask.'

/** Takes up what was asked, unless that is what the demo does anyway. */
function opening({ asked, said }: Seen): string[] {
  const quoted = `You asked: “${short(asked)}”`
  const always = 'I am the demo model: whatever I am asked, I fix the one failing test of this sample.'
  if (THE_STORY.test(asked)) return []
  if (HERE.test(asked)) return [quoted, aboutTheFolder(said.get('look') ?? ''), always]
  return [quoted, `That is beyond me. ${always} What I did:`]
}

function aboutTheFolder(said: string): string {
  const lines = printed(said)
  const title = lines.findIndex((line) => line.startsWith('# '))
  const files = lines
    .slice(0, title === -1 ? lines.length : title)
    .filter((name) => !/^\.{1,2}$/.test(name))
    .map((name) => `\`${name}\``)
  const listed = files.length === 0 ? 'I could not list this folder.' : `In it: ${files.join(', ')}.`
  if (title === -1) return listed
  return `This folder is \`${lines[title]!.slice(2)}\`. ${lines[title + 1] ?? ''}\n${listed}`
}

function whatHappened(seen: Seen): string {
  const test = seen.said.get('test') ?? ''
  const failing = failingTest(test)
  if (failing) return `${cause(failing)} ${changed(seen, failing.name)}`
  if (outcomeOf(test) === 'done') return `${allPass(test)}: there was nothing to fix.`
  return `The test could not be run here, so I changed nothing. ${lastLine(test)}`
}

function cause({ name, wanted, got }: { name: string; wanted: string; got: string }): string {
  return `The test “${name}” failed: it wanted ${wanted} and got ${got}. \`toll.js\` took the discount, which is in percent, for a fraction.`
}

function changed({ said }: Seen, name: string): string {
  const fix = said.get('fix') ?? ''
  if (outcomeOf(fix) === 'refused')
    return `I did not change it, because the answer was no: “${name}” still fails.`
  if (outcomeOf(fix) === 'failed') return `The change could not be made, so it still fails. ${lastLine(fix)}`
  const again = said.get('retest') ?? ''
  if (outcomeOf(again) !== 'done')
    return `I divided it by 100, and the test still does not pass. ${lastLine(again)}`
  return `I divided it by 100. ${allPass(again)} now. ${kept(said.get('keep') ?? '')}`
}

/** As of a run without a failure. */
export function allPass(said: string): string {
  const passing = printed(said).filter((line) => line.startsWith('✔')).length
  return passing === 2 ? 'Both tests pass' : `All ${passing} tests pass`
}

function kept(said: string): string {
  const outcome = outcomeOf(said)
  if (outcome === 'refused')
    return 'It is not recorded, because the answer was no: the change is in the folder only.'
  if (outcome === 'failed') return `It could not be recorded. ${lastLine(said)}`
  const [, commit] = /^\[.* ([0-9a-f]{7,})\] /m.exec(said) ?? []
  return commit ? `It is committed as \`${commit}\`.` : 'It is noted in `CHANGES.md`.'
}

function lastLine(said: string): string {
  const line = printed(said).at(-1)
  return line === undefined ? '' : `Codex says: ${short(line)}`
}

function short(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return line.length > MAX_QUOTED || line !== text ? `${line.slice(0, MAX_QUOTED).trimEnd()} …` : line
}
