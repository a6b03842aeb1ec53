// The compiler proves these; running them proves nothing more.
import { describe, expectTypeOf, it } from 'vitest'
import type {
  AccountLogin,
  Approval,
  AppServerStatus,
  AuditEntry,
  CallerMessage,
  Deliverable,
  Draft,
  LoginRequest,
  Message,
  Notice,
  StandingRule,
  StartTask,
  Task,
  TaskChange,
  TaskCounts,
  Terminal,
  Upload,
  Usage,
  UsageDay,
  Worker,
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
    expectTypeOf<Sent<Upload>>().toExtend<contract.Upload>()
    expectTypeOf<Sent<Terminal>>().toExtend<contract.Terminal>()
  })

  it('of questions, answers and rules', () => {
    expectTypeOf<Sent<Approval>>().toExtend<contract.Approval>()
    expectTypeOf<Sent<AuditEntry>>().toExtend<contract.AuditEntry>()
    expectTypeOf<Sent<StandingRule>>().toExtend<contract.StandingRule>()
  })

  it('of what operators see', () => {
    expectTypeOf<Sent<Notice>>().toExtend<contract.Notice>()
    expectTypeOf<Sent<Draft>>().toExtend<contract.NoticeDryRun>()
    expectTypeOf<Sent<AppServerStatus>>().toExtend<contract.AppServer>()
    expectTypeOf<Sent<Usage>>().toExtend<contract.Usage>()
    expectTypeOf<Sent<TaskCounts>>().toExtend<contract.TaskCounts>()
    expectTypeOf<Sent<AccountLogin>>().toExtend<contract.AccountLogin>()
    expectTypeOf<Sent<Worker>>().toExtend<contract.Worker>()
  })
})

describe('the contract leaves out nothing', () => {
  it('that the service gives', () => {
    expectTypeOf<keyof Task>().toEqualTypeOf<keyof contract.Task>()
    expectTypeOf<keyof Message>().toEqualTypeOf<keyof contract.Message>()
    expectTypeOf<keyof Upload>().toEqualTypeOf<keyof contract.Upload>()
    expectTypeOf<keyof Terminal>().toEqualTypeOf<keyof contract.Terminal>()
    expectTypeOf<keyof Approval>().toEqualTypeOf<keyof contract.Approval>()
    expectTypeOf<keyof AuditEntry>().toEqualTypeOf<keyof contract.AuditEntry>()
    expectTypeOf<keyof StandingRule>().toEqualTypeOf<keyof contract.StandingRule>()
    expectTypeOf<keyof Deliverable>().toEqualTypeOf<keyof contract.Deliverable>()
    expectTypeOf<keyof CallerMessage>().toEqualTypeOf<keyof contract.CallerMessage>()
    expectTypeOf<keyof Notice>().toEqualTypeOf<keyof contract.Notice>()
    expectTypeOf<keyof AppServerStatus>().toEqualTypeOf<keyof contract.AppServer>()
    expectTypeOf<keyof Usage>().toEqualTypeOf<keyof contract.Usage>()
    expectTypeOf<keyof UsageDay>().toEqualTypeOf<keyof contract.UsageDay>()
    expectTypeOf<keyof TaskCounts>().toEqualTypeOf<keyof contract.TaskCounts>()
    expectTypeOf<keyof Worker>().toEqualTypeOf<keyof contract.Worker>()
  })

  it('that the service takes', () => {
    expectTypeOf<Exclude<keyof StartTask, 'idempotencyKey'>>().toEqualTypeOf<keyof contract.StartTask>()
    expectTypeOf<keyof TaskChange>().toEqualTypeOf<keyof contract.ChangeTask>()
    expectTypeOf<contract.StartAccountLogin>().toExtend<LoginRequest>()
  })
})
