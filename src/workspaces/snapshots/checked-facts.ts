// The facts of a snapshot can come from a file that anybody has made: each that is acted on has the form that was written here.
import path from 'node:path'
import { PRESETS } from '../../codex/index.ts'
import { parseSnapshotTimes } from '../../tasks/index.ts'
import { damaged } from './chunk-codec.ts'
import type { SnapshotFacts, SnapshotTask, SnapshotWorkspace } from './facts.ts'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const SANDBOXES: readonly string[] = ['read-only', 'workspace-write', 'danger-full-access']
/** What a day can be, in milliseconds. */
const MAX_TIME = 8.64e15

/** Throws `snapshot-damaged`. */
export function checkFacts(facts: unknown): asserts facts is SnapshotFacts {
  const { id, takenAt, cause, turnCount, threadId, machine, codexVersion, prefix, ...rest } = fieldsOf(facts)
  const isWhole =
    isMatch(ID, id) &&
    isCount(takenAt) &&
    takenAt <= MAX_TIME &&
    ['hand', 'end', 'limited', 'turns'].includes(cause as string) &&
    isCount(turnCount) &&
    (threadId === null || isMatch(ID, threadId)) &&
    isText(machine) &&
    isTextOrNull(codexVersion) &&
    isText(prefix) &&
    !path.isAbsolute(prefix) &&
    !prefix.includes('\0') &&
    !prefix.split('/').includes('..') &&
    isTask(rest.task) &&
    isWorkspace(rest.workspace) &&
    areCounts(rest)
  if (!isWhole) throw damaged('what it says of its task has another form')
}

function isTask(value: unknown): value is SnapshotTask {
  const { labels, policy, rules, tools, outputSchema, snapshots, preset, ...task } = fieldsOf(value)
  return (
    [task.id, task.title, task.prompt, task.cwd].every(isText) &&
    isListOfText(labels) &&
    isPolicy(parsed(policy)) &&
    isListOfText(parsed(rules)) &&
    isListOfText(parsed(tools)) &&
    (outputSchema === null || parsed(outputSchema) !== undefined) &&
    (snapshots === null || areTimes(snapshots)) &&
    isText(preset) &&
    Object.hasOwn(PRESETS, preset) &&
    typeof task.keepOpen === 'boolean' &&
    [task.timeoutMs, task.approvalTimeoutMs].every((time) => time === null || isCount(time))
  )
}

function isPolicy(value: unknown): boolean {
  const { sandbox, permissions, model, effort, developerInstructions } = fieldsOf(value)
  const texts = [sandbox, permissions, model, effort, developerInstructions]
  return (
    isObject(value) &&
    texts.every((text) => text === undefined || isTextOrNull(text)) &&
    (sandbox == null || SANDBOXES.includes(sandbox as string))
  )
}

function isWorkspace(value: unknown): value is SnapshotWorkspace {
  const { kind, source, branch, from, base } = fieldsOf(value)
  const isName = (name: unknown) => name === null || (isText(name) && !/^-|[\p{Cc}]/u.test(name))
  return (
    isText(kind) &&
    isTextOrNull(source) &&
    isName(branch) &&
    !String(branch).split('/').includes('..') &&
    isName(from) &&
    (base === null || isMatch(COMMIT, base))
  )
}

function areCounts({ counts, leftOut, leftOutCounts }: Readonly<Record<string, unknown>>): boolean {
  const { files, folders, links, bytes, changed } = fieldsOf(counts)
  const isLeft = (left: unknown) => isText(fieldsOf(left).path) && isText(fieldsOf(left).why)
  return (
    [files, folders, links, bytes, changed, ...Object.values(fieldsOf(leftOutCounts))].every(isCount) &&
    Array.isArray(leftOut) &&
    leftOut.every(isLeft)
  )
}

function areTimes(value: unknown): boolean {
  try {
    parseSnapshotTimes(value as string)
    return true
  } catch {
    return false
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value)
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isMatch(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value)
}
