// What can be done with a task that is there: more input, an end, another branch, waiting.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf, credentialOf } from '../api-env.ts'
import type { Standing } from '../auth/credential.ts'
import {
  ForkTask,
  InterruptTask,
  Message,
  ResumeTask,
  SendMessage,
  SteerTurn,
  Task,
  WaitForTask,
} from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { answers, jsonBody, optionalJsonBody, type RouteParts, routesForAll } from '../route-parts.ts'
import { KeyHeader, TaskParams } from './tasks.ts'

const tags = ['turns']

const sendMessage = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/turns',
  tags,
  summary: 'Give it another turn: now if it is free, else after the one that runs',
  request: { params: TaskParams, headers: KeyHeader, body: jsonBody(SendMessage) },
  responses: answers(Message, 'Taken in.', 201),
})

const steerTurn = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/steer',
  tags,
  summary: 'Say something into the turn that runs',
  request: { params: TaskParams, headers: KeyHeader, body: jsonBody(SteerTurn) },
  responses: answers(Message, 'Taken in.', 201),
})

const cancelMessage = createRoute({
  method: 'delete',
  path: '/v1/tasks/{id}/messages/{messageId}',
  tags,
  summary: 'Take back a message that waits',
  request: { params: TaskParams.extend({ messageId: z.string().min(1).max(200) }) },
  responses: answers(Message, 'Taken back.'),
})

const interruptTask = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/interrupt',
  tags,
  summary: 'End the turn that runs, or take a queued task out of the queue',
  request: { params: TaskParams, body: optionalJsonBody(InterruptTask) },
  responses: answers(Task, 'As it is now.'),
})

const forkTask = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/fork',
  tags,
  summary: 'A new task with the history of this one',
  request: { params: TaskParams, headers: KeyHeader, body: optionalJsonBody(ForkTask) },
  responses: answers(Task, 'The new task.', 201),
})

const resumeTask = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/resume',
  tags,
  summary: 'Go on after lost, interrupted, failed, limited or timed-out',
  request: { params: TaskParams, body: optionalJsonBody(ResumeTask) },
  responses: answers(Task, 'As it is now.'),
})

const waitForTask = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/wait',
  tags,
  summary: 'Answered when it has ended, waits for somebody, or the time is up',
  request: { params: TaskParams, body: optionalJsonBody(WaitForTask) },
  responses: answers(Task, 'As it is then.'),
})

/** Why a request that waited was ended, by the standing of its credential. */
const WAIT_ENDED: Readonly<Record<Standing, () => DoorError>> = {
  valid: () => new DoorError('unavailable', 'the service is stopping'),
  revoked: () => new DoorError('unauthorized', 'no longer let in'),
  unknown: () => new DoorError('database-unreachable', 'the database cannot be reached; try again'),
}

export function addTurnRoutes(app: ApiApp, { service: whole, streams }: RouteParts): void {
  const add = routesForAll(app, whole)
  add(sendMessage, async (c, service) => {
    const { 'idempotency-key': clientMessageId } = c.req.valid('header')
    const message = { ...c.req.valid('json'), mode: 'queue' as const, clientMessageId }
    return c.json(await service.send(c.req.valid('param').id, message, callerOf(c)), 201)
  })
  add(steerTurn, async (c, service) => {
    const { 'idempotency-key': clientMessageId } = c.req.valid('header')
    const message = { ...c.req.valid('json'), mode: 'steer' as const, clientMessageId }
    return c.json(await service.send(c.req.valid('param').id, message, callerOf(c)), 201)
  })
  add(cancelMessage, async (c, service) => {
    const { id, messageId } = c.req.valid('param')
    return c.json(await service.cancelMessage(id, messageId, callerOf(c)))
  })
  add(interruptTask, async (c, service) => {
    const options = c.req.valid('json')
    return c.json(await service.interrupt(c.req.valid('param').id, callerOf(c), options))
  })
  add(forkTask, async (c, service) => {
    const { 'idempotency-key': idempotencyKey } = c.req.valid('header')
    const request = { ...c.req.valid('json'), idempotencyKey }
    return c.json(await service.fork(c.req.valid('param').id, request, callerOf(c)), 201)
  })
  add(resumeTask, async (c, service) =>
    c.json(await service.resume(c.req.valid('param').id, c.req.valid('json'), callerOf(c))),
  )
  add(waitForTask, async (c, service) => {
    const credential = credentialOf(c)
    const closing = new AbortController()
    const leave = streams.enter(credential, 'wait', () => closing.abort())
    const signal = AbortSignal.any([c.req.raw.signal, closing.signal])
    try {
      const { timeoutMs = 30_000, through = false } = c.req.valid('json')
      return c.json(await service.wait(c.req.valid('param').id, { timeoutMs, through, signal }))
    } catch (error) {
      if (!signal.aborted) throw error
      throw WAIT_ENDED[await credential.check()]()
    } finally {
      leave()
    }
  })
}
