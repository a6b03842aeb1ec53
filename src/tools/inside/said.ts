// Tools by which the model says something about its work. Each is slowed down when it is called in a loop.
import { defineTool, type Tool, type ToolContext } from '../../codex/index.ts'
import { whyTooMuch } from '../../util/json-bounds.ts'
import { visibleCode } from '../../util/visible-text.ts'
import { Pace } from './pace.ts'
import { lineOf, textOf } from './texts.ts'

/** What hears it. What they throw is told to the model. */
export type OnStatus = (
  status: { readonly text: string; readonly percent: number | null },
  context: ToolContext,
) => unknown
export type OnAttention = (reason: string, context: ToolContext) => unknown
export type OnUrl = (url: string, context: ToolContext) => unknown
/** What it returns is the answer that the model gets; undefined: none. */
export type OnCallerMessage = (
  message: { readonly name: string; readonly data: unknown },
  context: ToolContext,
) => unknown

const MAX_STATUS = 200
const MAX_REASON = 1_000
const MAX_URL = 2_000
const MAX_DATA = { depth: 50, characters: 16 * 1024 }
const ANSWER_MS = 5 * 60_000

export function statusTool(hear: OnStatus): Tool {
  const pace = new Pace({ burst: 5, everyMs: 1_000 })
  return defineTool({
    name: 'status',
    description:
      'Shows people how far you are, in a few words and, if you can tell, in percent. Use it at the steps of long work.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What you are doing now, in a few words.' },
        percent: { type: ['number', 'null'], description: '0 to 100. Leave it out when you cannot tell.' },
      },
      required: ['text'],
    },
    handler: async ({ text, percent }, context) => {
      await pace.wait(context.signal)
      const clamped = percent == null ? null : Math.round(Math.min(100, Math.max(0, percent)))
      await hear({ text: lineOf(text, MAX_STATUS), percent: clamped }, context)
      return 'shown'
    },
  })
}

export function attentionTool(hear: OnAttention): Tool {
  const pace = new Pace({ burst: 3, everyMs: 20_000 })
  return defineTool({
    name: 'attention',
    description:
      'Tells the people who follow this task that they should look at something now, and why. It does not wait for them. ' +
      'Use it seldom: when you are stuck, or something is wrong that they should know before you go on.',
    input: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why, in one or two sentences.' } },
      required: ['reason'],
    },
    handler: async ({ reason }, context) => {
      const told = textOf(reason, MAX_REASON)
      if (told === '') throw new Error('say why in reason')
      await pace.wait(context.signal)
      return answerOf(await hear(told, context), 'shown to people')
    },
  })
}

export function openUrlTool(hear: OnUrl): Tool {
  const pace = new Pace({ burst: 3, everyMs: 10_000 })
  return defineTool({
    name: 'open_url',
    description:
      'Shows people a link that they should open, such as a page to log in at or a preview. Nothing opens it by itself, and you ' +
      'do not learn whether somebody did.',
    input: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole address, http or https.' } },
      required: ['url'],
    },
    handler: async ({ url }, context) => {
      const checked = checkedUrl(url.trim())
      await pace.wait(context.signal)
      await hear(checked, context)
      return 'shown to people'
    },
  })
}

export function tellCallerTool(hear: OnCallerMessage): Tool {
  const pace = new Pace({ burst: 10, everyMs: 1_000 })
  return defineTool({
    name: 'tell_caller',
    description:
      'Sends a typed message to the program that started you. If that program answers, you get its answer, now or later as a ' +
      'message.',
    input: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'What kind of message it is, as you were told.' },
        data: { description: 'Any JSON, at most 16 KB.' },
      },
      required: ['name'],
    },
    timeoutMs: ANSWER_MS,
    handler: async ({ name, data = null }, context) => {
      if (!/^[\w.:/-]{1,100}$/.test(name))
        throw new Error('name may have up to 100 letters, digits, _, -, ., : and /')
      const problem = whyTooMuch(data, MAX_DATA)
      if (problem !== null) throw new Error(`data ${problem}`)
      await pace.wait(context.signal)
      const answer = await hear({ name, data }, context)
      return answer === undefined ? 'sent; there is no answer yet' : { structured: { answer } }
    },
  })
}

/** As it will be opened: no names that hide where it leads, no characters that a screen hides. */
function checkedUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    throw new Error('url must be a whole address that begins with http:// or https://')
  if (parsed.username !== '' || parsed.password !== '')
    throw new Error('url must not have a name or a password in it')
  if (parsed.href.length > MAX_URL) throw new Error(`url has more than ${MAX_URL} characters`)
  if (visibleCode(parsed.href) !== parsed.href) throw new Error('url has characters that cannot be seen')
  return parsed.href
}

function answerOf(answer: unknown, otherwise: string): string {
  return typeof answer === 'string' && answer !== '' ? answer : otherwise
}
