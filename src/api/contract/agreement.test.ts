// The compiler proves these; running them proves nothing more.
import { describe, expectTypeOf, it } from 'vitest'
import type {
  Approval,
  AppServerFacts,
  AuditEntry,
  Draft,
  Message,
  Notice,
  StandingRule,
  StartTask,
  Task,
  TaskChange,
  TaskCounts,
} from '../../tasks/index.ts'
import type * as contract from '../contract.ts'

/** A value as it is after a trip through JSON. */
type Sent<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Sent<T[Key]> }
      : T

describe('what the task service gives is what the contract promises', () => {
  it('of tasks and messages', () => {
    expectTypeOf<Sent<Task>>().toExtend<contract.Task>()
    expectTypeOf<Sent<Message>>().toExtend<contract.Message>()
  })

  it('of questions, answers and rules', () => {
    expectTypeOf<Sent<Approval>>().toExtend<contract.Approval>()
    expectTypeOf<Sent<AuditEntry>>().toExtend<contract.AuditEntry>()
    expectTypeOf<Sent<StandingRule>>().toExtend<contract.StandingRule>()
  })

  it('of what operators see', () => {
    expectTypeOf<Sent<Notice>>().toExtend<contract.Notice>()
    expectTypeOf<Sent<Draft>>().toExtend<contract.NoticeDryRun>()
    expectTypeOf<Sent<AppServerFacts>>().toExtend<contract.AppServer>()
    expectTypeOf<Sent<TaskCounts>>().toExtend<contract.TaskCounts>()
  })
})

describe('the contract leaves out nothing', () => {
  it('that the service gives', () => {
    expectTypeOf<keyof Task>().toEqualTypeOf<keyof contract.Task>()
    expectTypeOf<keyof Message>().toEqualTypeOf<keyof contract.Message>()
    expectTypeOf<keyof Approval>().toEqualTypeOf<keyof contract.Approval>()
    expectTypeOf<keyof AuditEntry>().toEqualTypeOf<keyof contract.AuditEntry>()
    expectTypeOf<keyof StandingRule>().toEqualTypeOf<keyof contract.StandingRule>()
    expectTypeOf<keyof Notice>().toEqualTypeOf<keyof contract.Notice>()
    expectTypeOf<keyof AppServerFacts>().toEqualTypeOf<keyof contract.AppServer>()
    expectTypeOf<keyof TaskCounts>().toEqualTypeOf<keyof contract.TaskCounts>()
  })

  it('that the service takes', () => {
    expectTypeOf<Exclude<keyof StartTask, 'idempotencyKey'>>().toEqualTypeOf<keyof contract.StartTask>()
    expectTypeOf<keyof TaskChange>().toEqualTypeOf<keyof contract.ChangeTask>()
  })
})
