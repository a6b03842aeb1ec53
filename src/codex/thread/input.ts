import { MAX_INPUT_CHARACTERS } from '../defaults.ts'
import { DrawbridgeError } from '../errors/index.ts'
import type { PathFacts, PathKind } from '../host.ts'
import type { protocol } from '../protocol/index.ts'

/** What a turn is given: plain text, or codex's own input items (text, images, skills, mentions). */
export type TurnInput = string | readonly protocol.v2.UserInput[]

/** Something given that codex would refuse, or quietly do without. */
export class BadInputError extends DrawbridgeError {
  /** What of it is bad: the input itself, or the option of this name. */
  readonly field: 'input' | 'cwd' | 'effort' | 'outputSchema'

  constructor(message: string, field: BadInputError['field'] = 'input') {
    super(message, { code: 'bad-input' })
    this.field = field
  }
}

/** Checked before it is sent, because codex's own answers to bad input are late or vague. */
export async function userInput(
  input: TurnInput,
  { kindOf }: Pick<PathFacts, 'kindOf'>,
): Promise<protocol.v2.UserInput[]> {
  const items: protocol.v2.UserInput[] =
    typeof input === 'string' ? [{ type: 'text', text: input, text_elements: [] }] : [...input]
  if (items.length === 0) throw new BadInputError('the input is empty')
  for (const item of items) {
    if (item.type === 'image') requireInline(item)
    if (item.type === 'localImage') requireFile(item.path, { what: 'image', kind: await kindOf(item.path) })
    if (item.type === 'localAudio') requireFile(item.path, { what: 'audio', kind: await kindOf(item.path) })
  }
  const characters = inputCharacters(items)
  if (characters > MAX_INPUT_CHARACTERS)
    throw new BadInputError(
      `the input has ${characters} characters; codex takes ${MAX_INPUT_CHARACTERS}. Put it in a file and name that`,
    )
  return items
}

/** Nobody fetches images from the web: neither codex nor we. */
function requireInline(item: protocol.v2.UserInput & { type: 'image' }): void {
  if ('url' in item && /^https?:/i.test(item.url))
    throw new BadInputError(
      'an image on the web cannot be used: give its bytes as a data: URL, or a local file',
    )
}

/** Of a file it cannot read codex tells the model, and goes on. A kind of null: nobody here can tell. */
function requireFile(path: string, { what, kind }: { what: string; kind: PathKind | null }): void {
  if (kind === 'missing') throw new BadInputError(`there is no ${what} file ${path}`)
  if (kind === 'folder') throw new BadInputError(`${path} is a folder, not an ${what} file`)
}

/** As codex counts them; more than `MAX_INPUT_CHARACTERS` are refused. */
export function inputCharacters(input: string | readonly { readonly type: string }[]): number {
  if (typeof input === 'string') return codePoints(input)
  const texts = input.filter((item): item is { type: 'text'; text: string } => item.type === 'text')
  return texts.reduce((sum, { text }) => sum + codePoints(text), 0)
}

function codePoints(text: string): number {
  // Most text is far from the limit, and counting is not free.
  if (text.length <= MAX_INPUT_CHARACTERS / 2) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}
