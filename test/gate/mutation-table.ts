/** One wrong answer: a piece of text that occurs once in its file, and what it becomes. */
export interface Mutation {
  readonly file: string
  readonly find: string
  readonly replace: string
  /** What must notice; the unit tests of the requests unless said. */
  readonly tests?: readonly string[]
}

const REAL = ['--project', 'codex', 'test/e2e/gate-approver.test.ts']

const byFile: Readonly<Record<string, readonly (readonly [find: string, replace: string])[]>> = {
  'command.ts': [
    ["refuse: () => ({ decision: 'decline' })", "refuse: () => ({ decision: 'accept' })"],
    ["return { decision: 'accept' }", "return { decision: 'acceptForSession' }"],
    ["return { decision: 'acceptForSession' }", "return { decision: 'accept' }"],
    ['return { decision: amendment(params)! }', "return { decision: 'acceptForSession' }"],
    ["answer === 'cancel' ? 'cancel' : 'decline'", "answer === 'cancel' ? 'decline' : 'cancel'"],
    ['if (!choices.some(({ word }) => word === answer)) notOffered(answer, choices)', ''],
    ["lists('accept') && {", 'true && {'],
    ["lists('cancel') && {", 'true && {'],
    ['lists(lasting) && {', 'true && {'],
    ["params.kind !== 'writeStdin' && {", 'true && {'],
    ["action === 'allow'", "action === 'deny'"],
    ['if (!proposedExecpolicyAmendment?.length) return null', ''],
    ['execpolicy_amendment: proposedExecpolicyAmendment }', 'execpolicy_amendment: [] }'],
    ['cwd: params.cwd || facts.cwd', "cwd: params.cwd ?? ''"],
    ['reason: params.reason ?? null', 'reason: null'],
    ['params.command ?? (params', 'null ?? (params'],
  ],
  'file-change.ts': [
    ["refuse: () => ({ decision: 'decline' })", "refuse: () => ({ decision: 'accept' })"],
    ["return { decision: 'accept' }", "return { decision: 'acceptForSession' }"],
    ["return { decision: 'acceptForSession' }", "return { decision: 'accept' }"],
    ["return { decision: 'decline' }", "return { decision: 'accept' }"],
    ["return { decision: 'cancel' }", "return { decision: 'decline' }"],
    ['return notOffered(answer, CHOICES)', "return { decision: 'accept' }"],
    ['changes: facts.changes,', 'changes: [],'],
    ['const grantRoot = params.grantRoot ?? null', 'const grantRoot = null'],
  ],
  'permissions.ts': [
    [
      "refuse: () => ({ permissions: {}, scope: 'turn' })",
      "refuse: (params) => ({ permissions: everything(params.permissions), scope: 'turn' })",
    ],
    ["everything(params.permissions), scope: 'turn' }", "everything(params.permissions), scope: 'session' }"],
    ["everything(params.permissions), scope: 'session' }", "everything(params.permissions), scope: 'turn' }"],
    [
      "if (answer === 'deny') return { permissions: {}, scope: 'turn' }",
      "if (answer === 'deny') return { permissions: everything(params.permissions), scope: 'turn' }",
    ],
    [
      'return { permissions: answer.permissions, scope: answer.scope }',
      "return { permissions: answer.permissions, scope: 'turn' }",
    ],
    [
      'return { permissions: answer.permissions, scope',
      'return { permissions: everything(params.permissions), scope',
    ],
    ["if (answer.scope !== 'turn' && answer.scope !== 'session')", 'if (false)'],
    [
      'return notOffered(answer, CHOICES)',
      "return { permissions: everything(params.permissions), scope: 'turn' }",
    ],
    ['...(network && { network }),', ''],
    ['...(fileSystem && { fileSystem })', ''],
    ['permissions: params.permissions,\n      cwd', 'permissions: {} as never,\n      cwd'],
  ],
  'elicitation.ts': [
    ["const DECLINE: Reply = { action: 'decline'", "const DECLINE: Reply = { action: 'accept'"],
    ["const CANCEL: Reply = { action: 'cancel'", "const CANCEL: Reply = { action: 'decline'"],
    ["if (answer === 'deny') return DECLINE", "if (answer === 'deny') return CANCEL"],
    ["if (answer === 'cancel') return CANCEL", "if (answer === 'cancel') return DECLINE"],
    ['refuse: () => DECLINE', 'refuse: () => CANCEL'],
    ["answer === 'once' ? null : { persist: answer }", 'null'],
    ['{ persist: answer }', "{ persist: 'always' }"],
    ["persist.includes('session') && {", 'true && {'],
    ["persist.includes('always') && {", 'true && {'],
    [
      'if (!isWord(answer) || !choices.some(({ word }) => word === answer)) return notOffered(answer, choices)',
      '',
    ],
    ["meta.codex_approval_kind === 'mcp_tool_call' ? meta : null", 'meta'],
    ["if ('url' in params) return [VISITED, ...VALUE_CHOICES]", ''],
    ['required(params).length === 0', 'true'],
    ["{ action: 'accept', content: 'url' in params ? null : {}, _meta: null }", 'DECLINE'],
    ['if (missing.length > 0) throw new BadAnswerError', 'if (false) throw new BadAnswerError'],
    ['content: answer.content as Reply', 'content: {} as Reply'],
    ["|| !('requestedSchema' in params))\n", '|| false)\n'],
    ['arguments: approval?.tool_params ?? null', 'arguments: null'],
  ],
  'user-input.ts': [
    ['refuse: () => ({ answers: {} })', "refuse: () => ({ answers: { go: { answers: ['Yes'] } } })"],
    ["if (answer === 'deny') return { answers: {} }", ''],
    ["if (typeof answer !== 'object' || !('answers' in answer))", "if (typeof answer !== 'object')"],
    ['if (stray !== undefined)', 'if (false)'],
    ['if (bare)', 'if (false)'],
    ['{ answers: [...answers] }', '{ answers: answers.slice(0, 1) }'],
  ],
  'legacy-approvals.ts': [
    ["isAtLeast(codexVersion, '0.143.0')", "isAtLeast(codexVersion, '0.100.0')"],
    ['codexVersion === null || isAtLeast', 'codexVersion !== null && isAtLeast'],
    ['{ denied: { rejection: WHY } }', "'approved'"],
    ["('denied' as unknown as Decision)", "'abort'"],
  ],
  'machine-requests.ts': [
    ['success: false', 'success: true'],
    ["cannot('no ChatGPT tokens are managed by this client')", "({ accessToken: '' }) as never"],
    ["cannot('this client does not attest')", "({ token: '' }) as never"],
    ["cannot('the time could not be told')", '({ currentTimeAt: 0 })'],
    ['throw new Refusal(why, -32000)', 'throw new Error(why)'],
  ],
  'families.ts': [
    ["return { decision: 'decline' }", "return { decision: 'accept' }"],
    ["return { action: 'decline', content", "return { action: 'accept', content"],
    ['if (/approval$/i.test(method))', 'if (/approval/i.test(method))'],
    ['Object.hasOwn(families, method) ?', 'method in families ?'],
    ['METHOD_NOT_FOUND = -32601', 'METHOD_NOT_FOUND = -32000'],
  ],
  'decision.ts': [
    ["secret.has(id) ? ['(secret)'] : given", 'given'],
    ["{ ...made, answer: { result: '(secret)' } }", 'made'],
    ["answer: given, by: 'person'", "answer: given, by: 'rule'"],
    ['rule = null, why = null } = decided', 'rule = null, why = null } = { ...decided, rule: undefined }'],
  ],
  'host-tools.ts': [
    ["if ('issues' in checked && checked.issues)", 'if (false)'],
    ['if (!tool) return failed', 'if (!tool) throw new Error'],
    ['success: true }', 'success: false }'],
    ['success: false }', 'success: true }'],
    [
      'const ran = (async () => tool.run(input, context))()',
      'const ran = Promise.resolve(tool.run(input, context))',
    ],
    ['Promise.race([ran, late])', 'Promise.race([ran])'],
    ['AbortSignal.any([signal, over.signal])', 'over.signal'],
  ],
  'open-changes.ts': [
    ['items.set(item.id, item.changes)', 'items.set(item.id, [])'],
    ['else items.delete(item.id)', ''],
    ["get(threadId ?? '')?.get(itemId ?? '')", "values().next().value?.get(itemId ?? '')"],
    ['this.#byThread.delete(threadId)', 'this.#byThread.clear()'],
  ],
  'server-requests.ts': [
    ['if (controller.signal.aborted) return refuse(method, params, facts)', ''],
    ['if (error instanceof Refusal) throw error', ''],
    ['controller.abort(error)', ''],
    ['this.#options.onDecision(withoutSecrets(decided))', 'this.#options.onDecision(decided)'],
    ['if (!family?.ask || !onApproval) return null', 'if (!family?.ask) return null'],
    ['countsFor: known.parent?.turnId ?? turnId', 'countsFor: turnId'],
    ['turnId !== null && turnId === ended', 'turnId !== null'],
    ['return Promise.race([given, withdrawn, late])', 'return Promise.race([given, withdrawn])'],
    [
      'if (approvalTimeoutMs === null) return Promise.race([given, withdrawn])',
      'if (approvalTimeoutMs === null) return given',
    ],
    ["this.#options.onRefused({ type: 'request-refused', method, params, error })", ''],
  ],
}

/** How the client puts the gate in its place: only the real codex notices. */
const client: readonly Mutation[] = [
  ['onApproval: options.onApproval ?? null', 'onApproval: null'],
  ['approvalTimeoutMs: options.approvalTimeoutMs ?? null', 'approvalTimeoutMs: null'],
  ['this.#requests.withdrawAll(reason)', ''],
  ['parent = threadId === null ? null : this.parentOf(threadId)', 'parent = null as ParentTurn | null'],
].map(([find, replace]) => ({ file: 'src/codex/client.ts', find: find!, replace: replace!, tests: REAL }))

export const mutations: readonly Mutation[] = [
  ...Object.entries(byFile).flatMap(([name, pairs]) =>
    pairs.map(([find, replace]) => ({ file: `src/codex/requests/${name}`, find, replace })),
  ),
  ...client,
]
