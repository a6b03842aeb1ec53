import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import { AddRule, CheckedRules, CheckRules, RuleList, RuleListQuery, StandingRule } from '../contract.ts'
import { addRoute, answers, jsonBody, type RouteParts } from '../route-parts.ts'
import { checkRules } from './check-rules.ts'

const tags = ['rules']

const listRules = createRoute({
  method: 'get',
  path: '/v1/rules',
  tags,
  summary: 'Rules that stand for all tasks',
  request: { query: RuleListQuery },
  responses: answers(RuleList, 'All of them.'),
})

const addRule = createRoute({
  method: 'post',
  path: '/v1/rules',
  tags,
  summary: 'Add a standing rule',
  request: { body: jsonBody(AddRule) },
  responses: answers(StandingRule, 'It stands.', 201),
})

const revokeRule = createRoute({
  method: 'delete',
  path: '/v1/rules/{id}',
  tags,
  summary: 'Revoke a standing rule',
  request: { params: z.object({ id: z.string().min(1).max(2000) }) },
  responses: answers(StandingRule, 'Revoked; it is kept for the audit.'),
})

const judgeCommand = createRoute({
  method: 'post',
  path: '/v1/rules/check',
  tags,
  summary: 'What the rules would say to a command',
  request: { body: jsonBody(CheckRules) },
  responses: answers(CheckedRules, 'The answer, part by part. Nothing is run or stored.'),
})

export function addRuleRoutes(app: ApiApp, { service, now, resolvePath }: RouteParts): void {
  addRoute(app, listRules, async (c) => {
    const revoked = c.req.valid('query').revoked === 'true'
    return c.json({ items: await service.rules({ revoked }) })
  })
  addRoute(app, addRule, async (c) => c.json(await service.addRule(c.req.valid('json'), callerOf(c)), 201))
  addRoute(app, revokeRule, async (c) =>
    c.json(await service.revokeRule(c.req.valid('param').id, callerOf(c))),
  )
  addRoute(app, judgeCommand, async (c) => {
    const standing = await service.rules()
    return c.json(checkRules(c.req.valid('json'), { standing, now: now(), resolve: resolvePath }))
  })
}
