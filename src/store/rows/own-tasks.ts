import { type RawBuilder, sql } from 'kysely'

/** Ids of the tasks that were started with this token, and of all tasks below them. */
export function ownTasks(tokenId: string): RawBuilder<string> {
  return sql<string>`(with recursive own(id) as (
      select id from tasks where created_by = ${tokenId}
      union select child.id from tasks as child join own on child.parent = own.id)
    select id from own)`
}

/** Ids of all tasks below this one. */
export function tasksBelow(taskId: string): RawBuilder<string> {
  return sql<string>`(with recursive below(id) as (
      select id from tasks where parent = ${taskId}
      union select child.id from tasks as child join below on child.parent = below.id)
    select id from below)`
}
