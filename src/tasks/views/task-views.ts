// What can be read of tasks, in pages of bounded size, beside whatever is being written.
import {
  approvalRow,
  countByStatus,
  countNotices,
  type Db,
  eventPage,
  listApprovals,
  listAudit,
  mapPage,
  messageActors,
  messageRows,
  openApprovals,
  type Page,
  pendingApprovals,
  questionFigures,
  shownTasks,
  type TaskFilter,
  type TaskQuery,
  turnFigures,
  uploadRows,
  type WholeFrames,
  waitIn,
} from '../../store/index.ts'
import {
  type Approval,
  type AuditEntry,
  addUp,
  type CountedTasks,
  type EventPage,
  findTask,
  type Notice,
  type NoticeQuery,
  type Task,
  type TaskCounts,
  type TaskDetail,
  TaskError,
  type TaskService,
  toApproval,
  toAuditEntry,
  toMessage,
  toTask,
  toUpload,
  type Upload,
  type Usage,
  type UsageQuery,
} from '../model/index.ts'
import { noticePage } from '../notices/index.ts'
import { localDate, localDays } from './local-days.ts'

const SHOWN_EVENTS = 50
const PAGE = { limit: 500, most: 2_000, maxBytes: 4 * 1024 * 1024 }

export interface TaskViewsParts {
  readonly reader: Db
  readonly frames: WholeFrames
  readonly now: () => number
}

export class TaskViews {
  readonly #reader: Db
  readonly #frames: WholeFrames
  readonly #now: () => number

  constructor({ reader, frames, now }: TaskViewsParts) {
    this.#reader = reader
    this.#frames = frames
    this.#now = now
  }

  async list(query: TaskQuery): Promise<Page<Task>> {
    return mapPage(await shownTasks(this.#reader, query), toTask)
  }

  async count(filter: TaskFilter): Promise<CountedTasks> {
    const byStatus = await countByStatus(this.#reader, filter)
    return { total: Object.values(byStatus).reduce((sum, count) => sum + count, 0), byStatus }
  }

  async uploads(taskId: string): Promise<readonly Upload[]> {
    await this.get(taskId)
    return (await uploadRows(this.#reader, taskId)).map(toUpload)
  }

  async get(taskId: string): Promise<Task> {
    const task = await findTask(this.#reader, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    return task
  }

  async show(
    taskId: string,
    { events: limit = SHOWN_EVENTS }: { events?: number } = {},
  ): Promise<TaskDetail> {
    const reader = this.#reader
    const task = await this.get(taskId)
    const [approvals, messages, page] = await Promise.all([
      pendingApprovals(reader, taskId),
      messageRows(reader, taskId, ['queued', 'sending']),
      this.events(taskId, { before: Number.MAX_SAFE_INTEGER, limit: Math.max(limit, 1) }),
    ])
    const events = limit > 0 ? page.events : []
    return { task, approvals: approvals.map(toApproval), messages: messages.map(toMessage), events }
  }

  async senders(taskId: string): Promise<readonly string[]> {
    await this.get(taskId)
    return messageActors(this.#reader, taskId)
  }

  async events(taskId: string, options: Parameters<TaskService['events']>[1]): Promise<EventPage> {
    await this.get(taskId)
    const limit = Math.min(options.limit ?? PAGE.limit, PAGE.most)
    const maxBytes = Math.min(options.maxBytes ?? PAGE.maxBytes, PAGE.maxBytes)
    return eventPage(this.#reader, taskId, { ...options, limit, maxBytes })
  }

  async wholeEvent(taskId: string, seq: number): Promise<string> {
    const whole = await this.#frames.get(taskId, seq)
    if (whole !== null) return whole
    const { events } = await this.events(taskId, { after: seq - 1, before: seq + 1, limit: 1 })
    if (events[0]?.seq !== seq) throw new TaskError('event-not-found', `task ${taskId} has no event ${seq}`)
    return events[0].frame
  }

  async approvals(query: Parameters<TaskService['approvals']>[0]): Promise<Page<Approval>> {
    return mapPage(await listApprovals(this.#reader, query), toApproval)
  }

  async approval(approvalId: string): Promise<Approval> {
    const row = await approvalRow(this.#reader, approvalId)
    if (!row) throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
    return toApproval(row)
  }

  async audit(query: Parameters<TaskService['audit']>[0]): Promise<Page<AuditEntry>> {
    return mapPage(await listAudit(this.#reader, query), toAuditEntry)
  }

  notices(query: NoticeQuery): Promise<Page<Notice>> {
    return noticePage(this.#reader, query)
  }

  async usage({ days: count, timeZone, to }: UsageQuery): Promise<Usage> {
    const last = to ?? localDate(this.#now(), timeZone)
    const days = localDays(last, { count, timeZone })
    // All of it at one moment.
    return this.#reader.transaction().execute(async (reader) => {
      const turns = await turnFigures(reader, days)
      const questions = await questionFigures(reader, days)
      const wait = await waitIn(reader, { from: days[0]!.from, to: days.at(-1)!.to })
      const figures = days.map((day, place) => ({ ...day, ...turns[place]!, ...questions[place]! }))
      return { timeZone, days: figures, total: { ...addUp(figures), wait } }
    })
  }

  async counts({ ownedBy }: { ownedBy?: string } = {}): Promise<TaskCounts> {
    const reader = this.#reader
    const [byStatus, open, notices] = await Promise.all([
      countByStatus(reader, { archived: true, ownedBy }),
      openApprovals(reader, { ownedBy }),
      ownedBy === undefined ? countNotices(reader) : ({} as Partial<Record<string, number>>),
    ])
    return {
      byStatus,
      openApprovals: open.count,
      oldestApprovalAt: open.oldestAt,
      pendingNotices: notices.pending ?? 0,
      deadNotices: notices.dead ?? 0,
    }
  }
}
