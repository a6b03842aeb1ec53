// Codex logins that tasks borrow. For the owner alone; a login goes in and never comes out.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import type { AccountsDoor } from '../api-options.ts'
import {
  AccountPool,
  AccountPoolList,
  AddLentAccount,
  ChangeAccountPool,
  ChangeLentAccount,
  CheckedAccount,
  LentAccount,
  LentAccountList,
  LentLogin,
  RevokeAccount,
  StartLentLogin,
} from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, REFUSED, type RouteParts } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['accounts']
const params = z.object({ name: z.string().min(1).max(80) })

const listAccounts = createRoute({
  method: 'get',
  path: '/v1/accounts',
  tags,
  summary: 'The accounts that tasks can borrow',
  responses: answers(LentAccountList, 'All of them, without their logins.'),
})

const addAccount = createRoute({
  method: 'post',
  path: '/v1/accounts',
  tags,
  summary: 'Keep a login as an account',
  request: { body: jsonBody(AddLentAccount) },
  responses: answers(LentAccount, 'The login is stored, sealed.', 201),
})

const startLogin = createRoute({
  method: 'post',
  path: '/v1/account-logins',
  tags,
  summary: 'Log in by code, for a new account',
  description: 'Pending until a person has typed the code in; the account is there when it has succeeded.',
  request: { body: jsonBody(StartLentLogin) },
  responses: answers(LentLogin, 'The code, and where to type it in.'),
})

const getLogin = createRoute({
  method: 'get',
  path: '/v1/account-logins',
  tags,
  summary: 'How far the last login by code is',
  responses: answers(LentLogin, 'As it is now.'),
})

const cancelLogin = createRoute({
  method: 'delete',
  path: '/v1/account-logins',
  tags,
  summary: 'Take back a login by code that is pending',
  responses: { 204: { description: 'None is pending any more.' }, default: REFUSED },
})

const checkAccount = createRoute({
  method: 'post',
  path: '/v1/accounts/{name}/check',
  tags,
  summary: 'Ask codex whether the login works',
  description: '`dead` only when OpenAI refuses it for good; a network error changes nothing.',
  request: { params },
  responses: answers(CheckedAccount, 'What codex said.'),
})

const changeAccount = createRoute({
  method: 'patch',
  path: '/v1/accounts/{name}',
  tags,
  summary: 'Rename, enable, disable, or set pools and limits',
  request: { params, body: jsonBody(ChangeLentAccount) },
  responses: answers(LentAccount, 'As it is now.'),
})

const removeAccount = createRoute({
  method: 'delete',
  path: '/v1/accounts/{name}',
  tags,
  summary: 'Delete the stored copy of a login',
  description: 'The login stays valid wherever else it is.',
  request: { params },
  responses: { 204: { description: 'It is deleted.' }, default: REFUSED },
})

const revokeAccount = createRoute({
  method: 'post',
  path: '/v1/accounts/{name}/revoke',
  tags,
  summary: 'Log out: the login is worthless wherever it was copied to',
  request: { params, body: jsonBody(RevokeAccount) },
  responses: { 204: { description: 'Revoked, and the stored copy is deleted.' }, default: REFUSED },
})

const listPools = createRoute({
  method: 'get',
  path: '/v1/account-pools',
  tags,
  summary: 'The pools of accounts',
  responses: answers(AccountPoolList, 'Those that have accounts, or that somebody has said something of.'),
})

const changePool = createRoute({
  method: 'patch',
  path: '/v1/account-pools/{name}',
  tags,
  summary: 'Which accounts a pool has, and what it may do',
  request: { params, body: jsonBody(ChangeAccountPool) },
  responses: answers(AccountPool, 'As it is now.'),
})

export function addAccountsRoutes(app: ApiApp, { accounts }: RouteParts): void {
  const door = (): AccountsDoor => {
    if (!accounts) throw new DoorError('not-supported', 'this service keeps no accounts')
    return accounts
  }
  addRoute(app, listAccounts, async (c) => c.json({ items: await door().list() }))
  addRoute(app, addAccount, async (c) => {
    tokenOnly(c)
    return c.json(await door().add(c.req.valid('json'), { by: callerOf(c).actor }), 201)
  })
  addRoute(app, startLogin, async (c) => {
    tokenOnly(c)
    return c.json(await door().startLogin(c.req.valid('json'), { by: callerOf(c).actor }))
  })
  addRoute(app, getLogin, (c) => c.json(door().pendingLogin() ?? { status: 'none' }))
  addRoute(app, cancelLogin, async (c) => {
    await door().cancelLogin()
    return c.body(null, 204)
  })
  addRoute(app, checkAccount, async (c) => c.json(await door().check(c.req.valid('param').name)))
  addRoute(app, changeAccount, async (c) => {
    const { name } = c.req.valid('param')
    const fields = c.req.valid('json')
    // A browser may take it out of use, and no more.
    if (Object.keys(fields).some((field) => field !== 'state')) tokenOnly(c)
    return c.json(await door().change(name, fields, { by: callerOf(c).actor }))
  })
  addRoute(app, removeAccount, async (c) => {
    tokenOnly(c)
    await door().remove(c.req.valid('param').name)
    return c.body(null, 204)
  })
  addRoute(app, revokeAccount, async (c) => {
    tokenOnly(c)
    const { name } = c.req.valid('param')
    if (c.req.valid('json').confirm !== name)
      throw new DoorError('bad-request', 'confirm: must be the name of the account')
    await door().revoke(name)
    return c.body(null, 204)
  })
  addRoute(app, listPools, async (c) => c.json({ items: await door().pools.list() }))
  addRoute(app, changePool, async (c) => {
    tokenOnly(c)
    const { name } = c.req.valid('param')
    return c.json(await door().pools.change(name, c.req.valid('json'), { by: callerOf(c).actor }))
  })
}
