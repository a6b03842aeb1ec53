// Workspaces and the work in them. For the owner alone: what is applied here changes the owner's repositories.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ApiApp } from '../api-env.ts'
import type { WorkspacesDoor } from '../api-options.ts'
import {
  AppliedWork,
  ApplyWork,
  CleanedWorkspaces,
  CleanWorkspaces,
  Committed,
  CommitWork,
  DiscardedWork,
  DiscardWork,
  RemovedWorkspace,
  RemoveWorkspace,
  Work,
  WorkDiff,
  WorkspaceList,
} from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, type RouteParts } from '../route-parts.ts'
import { TaskParams } from './tasks.ts'

const tags = ['workspaces']
const params = z.object({ id: z.string().min(1).max(200) })
const repository = z.string().min(1).max(4096).optional().meta({
  description: 'Of a task with several repositories: the id of one, or the name of its folder.',
})

const listWorkspaces = createRoute({
  method: 'get',
  path: '/v1/workspaces',
  tags,
  summary: 'The workspaces that Drawbridge made',
  request: { query: z.object({ sizes: z.enum(['true', 'false']).optional() }) },
  responses: answers(WorkspaceList, 'Newest first, with the work in them that is nowhere else.'),
})

const cleanWorkspaces = createRoute({
  method: 'post',
  path: '/v1/workspaces/clean',
  tags,
  summary: 'Remove what is not needed any more',
  description: 'Workspaces of tasks that have ended, without work that is nowhere else.',
  request: { body: jsonBody(CleanWorkspaces) },
  responses: answers(CleanedWorkspaces, 'What was removed, and why the others stay.'),
})

const removeWorkspace = createRoute({
  method: 'post',
  path: '/v1/workspaces/{id}/remove',
  tags,
  summary: 'Remove a workspace',
  description: 'With work that is nowhere else only when its name, or what was shown of it, is given back.',
  request: { params, body: jsonBody(RemoveWorkspace) },
  responses: answers(RemovedWorkspace, 'It is gone.'),
})

const showWork = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/work',
  tags,
  summary: 'What a task has done in its workspace',
  request: { params: TaskParams, query: z.object({ repository }) },
  responses: answers(Work, 'Against the commit it began with.'),
})

const diffWork = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/diff',
  tags,
  summary: 'The same as a patch: all of it, or what one turn did',
  request: {
    params: TaskParams,
    query: z.object({
      turn: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .meta({ description: 'The number of the turn, from 1.' }),
      path: z.string().min(1).max(4096).optional().meta({ description: 'Only this file.' }),
      repository,
    }),
  },
  responses: answers(WorkDiff, 'As `git diff` writes it.'),
})

const commitWork = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/commit',
  tags,
  summary: 'Commit the work on the branch of the workspace',
  request: { params: TaskParams, body: jsonBody(CommitWork) },
  responses: answers(Committed, 'The commit.'),
})

const applyWork = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/apply',
  tags,
  summary: 'Bring the work to the repository it came from',
  description:
    'All of it or nothing: a conflict, or a change of yours that is in the way, is answered with 409.',
  request: { params: TaskParams, body: jsonBody(ApplyWork) },
  responses: answers(AppliedWork, 'Applied.'),
})

const discardWork = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/discard',
  tags,
  summary: 'Remove the workspace of a task, and the work in it',
  request: { params: TaskParams, body: jsonBody(DiscardWork) },
  responses: answers(DiscardedWork, 'It is gone.'),
})

export function addWorkspaceRoutes(app: ApiApp, { workspaces }: RouteParts): void {
  const door = (): WorkspacesDoor => {
    if (!workspaces) throw new DoorError('not-supported', 'this service makes no workspaces')
    return workspaces
  }
  addRoute(app, listWorkspaces, async (c) =>
    c.json({ items: await door().list({ sizes: c.req.valid('query').sizes === 'true' }) }),
  )
  addRoute(app, cleanWorkspaces, async (c) => c.json(await door().clean(c.req.valid('json'))))
  addRoute(app, removeWorkspace, async (c) =>
    c.json(await door().remove(c.req.valid('param').id, c.req.valid('json'))),
  )
  addRoute(app, showWork, async (c) =>
    c.json(await door().show(c.req.valid('param').id, c.req.valid('query'))),
  )
  addRoute(app, diffWork, async (c) => {
    const { path, ...query } = c.req.valid('query')
    return c.json(
      await door().diff(c.req.valid('param').id, {
        ...query,
        paths: path === undefined ? undefined : [path],
      }),
    )
  })
  addRoute(app, commitWork, async (c) =>
    c.json(await door().commit(c.req.valid('param').id, c.req.valid('json'))),
  )
  addRoute(app, applyWork, async (c) =>
    c.json(await door().apply(c.req.valid('param').id, c.req.valid('json'))),
  )
  addRoute(app, discardWork, async (c) =>
    c.json(await door().discard(c.req.valid('param').id, c.req.valid('json'))),
  )
}
