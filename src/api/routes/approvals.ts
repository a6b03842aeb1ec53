import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import { Approval, ApprovalListQuery, AuditEntry, AuditQuery, Decide, pageOf } from '../contract.ts'
import { answers, jsonBody, type RouteParts, routesForAll } from '../route-parts.ts'

const tags = ['approvals']
const params = z.object({ id: z.string().min(1).max(200) })

const listApprovals = createRoute({
  method: 'get',
  path: '/v1/approvals',
  tags,
  summary: 'Questions across tasks',
  request: { query: ApprovalListQuery },
  responses: answers(pageOf(Approval).meta({ id: 'ApprovalPage' }), 'A page.'),
})

const getApproval = createRoute({
  method: 'get',
  path: '/v1/approvals/{id}',
  tags,
  summary: 'One question',
  request: { params },
  responses: answers(Approval, 'As it is now.'),
})

const answerApproval = createRoute({
  method: 'post',
  path: '/v1/approvals/{id}',
  tags,
  summary: 'Answer a question',
  description:
    'The first answer wins. A later one gets 409 `approval-settled`, with what won in its details.',
  request: { params, body: jsonBody(Decide) },
  responses: answers(Approval, 'Your answer won.'),
})

const listAudit = createRoute({
  method: 'get',
  path: '/v1/audit',
  tags,
  summary: 'Every decision: what, who, when, why',
  request: { query: AuditQuery },
  responses: answers(pageOf(AuditEntry).meta({ id: 'AuditPage' }), 'A page, newest first.'),
})

export function addApprovalRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  add(listApprovals, async (c, service) => c.json(await service.approvals(c.req.valid('query'))))
  add(getApproval, async (c, service) => c.json(await service.approval(c.req.valid('param').id)))
  add(answerApproval, async (c, service) =>
    c.json(await service.decide(c.req.valid('param').id, c.req.valid('json'), callerOf(c))),
  )
  add(listAudit, async (c, service) => c.json(await service.audit(c.req.valid('query'))))
}
