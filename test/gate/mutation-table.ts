/** One wrong answer: a piece of text that occurs once in its file, and what it becomes. */
export interface Mutation {
  readonly file: string
  readonly find: string
  readonly replace: string
  /** What must notice; the unit tests of the requests unless said. */
  readonly tests?: readonly string[]
}

const REAL = ['--project', 'codex', 'test/e2e/gate-approver.test.ts']
const RESUMED = ['--project', 'unit', 'src/codex/gate.test.ts']
const RULES = ['--project', 'codex', 'test/e2e/gate-rules.test.ts']
const TOOLS = ['--project', 'unit', '--testTimeout=5000', 'src/codex/tools/']
const ASYNC = ['--project', 'codex', '--testTimeout=15000', 'test/e2e/gate-async-questions.test.ts']

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
    ['permissions: asked,\n      cwd', 'permissions: NOTHING,\n      cwd'],
  ],
  'elicitation.ts': [
    ["const DECLINE: Reply = { action: 'decline'", "const DECLINE: Reply = { action: 'accept'"],
    ["if (answer === 'deny') return DECLINE", ''],
    ['refuse: () => DECLINE', "refuse: () => ({ ...DECLINE, action: 'accept' })"],
    ["answer === 'once' ? null : { persist: answer }", 'null'],
    ['{ persist: answer }', "{ persist: 'always' }"],
    ["persist.includes('session') && {", 'true && {'],
    ["persist.includes('always') && {", 'true && {'],
    [
      'if (!isWord(answer) || !choices.some(({ word }) => word === answer)) return notOffered(answer, choices)',
      '',
    ],
    ["if (meta.codex_approval_kind !== 'mcp_tool_call') return null", ''],
    ['server === params.serverName && ', ''],
    [' && (named === null || tool === named)', ''],
    ['if (calls.length === 0) return null', ''],
    ['(exact[0] ?? calls[0]!)', 'calls[0]!'],
    ['const isClear = named !== null || calls.length === 1', 'const isClear = true'],
    ['itemId: call?.id ?? null', 'itemId: null'],
    ['Array.isArray(meta.persist) ? meta.persist : []', 'meta.persist ?? []'],
    ["if ('url' in params) return [VISITED, NO_VALUES]", ''],
    ['required(params).length === 0', 'true'],
    ["{ action: 'accept', content: 'url' in params ? null : {}, _meta: null }", 'DECLINE'],
    ['if (missing.length > 0) throw new BadAnswerError', 'if (false) throw new BadAnswerError'],
    ['content: answer.content as Reply', 'content: {} as Reply'],
    ["|| !('requestedSchema' in params))\n", '|| false)\n'],
    ['arguments: call ? call.arguments : (meta.tool_params ?? null)', 'arguments: meta.tool_params ?? null'],
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
    ["return { result: '(secret)' }", 'return answer'],
    ['answer: withoutSecrets(made.question, made.answer)', 'answer: made.answer'],
    ["answer: given, by: 'person'", "answer: given, by: 'rule'"],
    ['rule = null, why = null } = decided', 'rule = null, why = null } = { ...decided, rule: undefined }'],
    ["answer: 'deny', by: 'default', rule", "answer: 'once', by: 'default', rule"],
    ["isWithdrawn ? 'withdrawn' : causeOf(error)", 'causeOf(error)'],
    ["hasCode(error, 'bad-answer', 'no-approver')", "hasCode(error, 'no-approver')"],
    ["hasCode(error, 'bad-answer', 'no-approver')", "hasCode(error, 'bad-answer')"],
    ["hasCode(error, 'approval-timed-out') ? 'timed-out' : 'failed'", "'failed'"],
  ],
  'decider.ts': [
    ['this.#record(defaulted(question, error, { isWithdrawn: signal.aborted }))', ''],
    ['return Promise.race([given, withdrawn, late])', 'return Promise.race([given, withdrawn])'],
    [
      'if (approvalTimeoutMs === null) return Promise.race([given, withdrawn])',
      'if (approvalTimeoutMs === null) return given',
    ],
    ['    } catch (error) {\n      unheard(error)\n', '    } catch (error) {\n      throw error\n'],
    ['if (heard instanceof Promise) heard.catch(unheard)', ''],
  ],
  'rules-first.ts': [
    ['if (answer) return answer', ''],
    [
      "if (!approver) throw new DrawbridgeError('nobody is there to answer', { code: 'no-approver' })",
      "if (!approver) return 'once'",
    ],
    ['{ ...context, ruling: ruled }', '{ ...context, ruling: null }'],
  ],
  'judge.ts': [
    ["if (answer === 'deny') return { answer, ...decided }", ''],
    ["answer === 'allow' && isOffered", 'isOffered'],
    ["answer === 'allow' && isOffered ?", "answer === 'allow' ?"],
    ["{ answer: 'once', ...decided }", "{ answer: 'session', ...decided }"],
    ['{ workspaceRoots, labels })', '{ workspaceRoots, labels: [] })'],
    ['{ now, resolve: paths.resolve })', '{ now: 0, resolve: paths.resolve })'],
    ['{ now, resolve: paths.resolve })', '{ now, resolve: (place) => place })'],
    ["if (decision.answer !== 'allow' || !paths.hasGaps) return decision", 'return decision'],
    ["decision.answer !== 'allow' ||", ''],
    ['...(rule && { rule: rule.id })', '...{}'],
  ],
  'check-answer.ts': [
    ['if (question.method === null) return checkAsync(question, answer)', ''],
    ["if (typeof answer === 'object' && 'result' in answer) return\n", ''],
    ["if (answer === 'deny') return\n", ''],
    ['answerText(question, answer.answers)', ''],
    ['toolCalls: toolCallOf(question)', 'toolCalls: []'],
    ['throw new BadAnswerError', 'new BadAnswerError'],
  ],
  'thread-approvals.ts': [
    ['[...rules, ...PRESETS[preset]]', 'rules'],
    ['[...rules, ...PRESETS[preset]]', 'PRESETS[preset]'],
  ],
  'asked-question.ts': [
    ['question.parent?.threadId ?? question.threadId', 'question.threadId'],
    ["if (kind === 'writeStdin') return other(question.title)", ''],
    ['isEscalated: permissions === null || isNothing(permissions)', 'isEscalated: false'],
    ['permissions === null || isNothing(permissions)', 'permissions === null'],
    ['...(network && { host: network.host }),', ''],
    ['...(permissions && { permissions }),', ''],
    ['if (changes.length === 0) return other(title)', ''],
    ['return [{ path, change: kind.type }, ...moved]', 'return [{ path, change: kind.type }]'],
    ['changes: all, grantRoot,', 'changes: all, grantRoot: null,'],
    [
      'tool === null ? other(title) :',
      'tool === null ? { kind: "mcp-tool", server, tool: "", isReadOnly: null } :',
    ],
    ['question.url === null ?', 'true ?'],
    ['network: Object(network).enabled === true', 'network: false'],
    ['...strange.map((entry) => JSON.stringify(entry)),', ''],
    ["readPaths: paths('read', read)", 'readPaths: []'],
    ["writePaths: paths('write', write)", 'writePaths: []'],
  ],
  'permission-parts.ts': [
    ["entry.access === 'deny' || places", 'places'],
    ['places.some((part) => part.entry === entry)', 'true'],
    ["chosen.some(({ access }) => access === 'network') && { network }", '{ network }'],
    ['places.length > 0 && {', 'true && {'],
    [
      'places.some((part) => part.access === access && part.path === path)\n  const kept',
      'true\n  const kept',
    ],
    ['.filter((path) => !entries.some((part) => part.access === access && part.path === path))', ''],
    ['network?.enabled ? [all] : []', '[]'],
  ],
  'async-question.ts': [
    ["delivery !== 'async' || ", ''],
    ["type !== 'agentMessage' || ", ''],
    ['if (asked.length === 0) return null', ''],
    ['requestId: null', 'requestId: 0'],
    ['isBlocking: false', 'isBlocking: true'],
    ["texts.length > 0 ? texts.join('\\n') : '(no answer)'", "texts.join('\\n')"],
    ['checkedAnswers({ answers }, questions)', 'answers'],
    ['if (Object.values(given).every((texts) => texts.length === 0))', 'if (false)'],
    ["text.replaceAll(/^/gm, '> ')", 'text'],
  ],
  'async-questions.ts': [
    ["answer === 'deny' ? null : ", ''],
    ['&& !String(item.clientId).startsWith(ANSWER))', ')'],
    ["item?.type === 'userMessage' &&", 'false &&'],
    ['if (question.threadId === threadId) controller.abort(reason)', 'controller.abort(reason)'],
    ["method === 'thread/deleted' || ", ''],
    ['for (const controller of this.#open.values()) controller.abort(reason)', ''],
    ["onIncident({ type: 'question-withdrawn', ...asked, question, reason: error })", '{}'],
    ['else if (!isNobody(error)) onIncident', 'else onIncident'],
    ["onIncident({ type: 'request-refused', ...asked, error })", '{}'],
    ["this.#options.onIncident({ type: 'answer-unsent', question, error })", ''],
    ['if (!thread) return', 'if (!question) return'],
  ],
  'open-items.ts': [
    ["if (notification.method === 'item/started') items.set(item.id, item)", 'if (false) {}'],
    ['items.delete(item.id)', ''],
    ["get(threadId ?? '')?.get(itemId ?? '')", "values().next().value?.get(itemId ?? '')"],
    ["item?.type === 'fileChange' && Array", 'Array'],
    ["get(threadId ?? '')?.values() ?? []", 'values().next().value?.values() ?? []'],
    ['.filter(({ id }) => (this.#askedBy.get(id) ?? requestId) === requestId)', ''],
    ['(this.#askedBy.get(id) ?? requestId) === requestId', '!this.#askedBy.has(id)'],
    ['      this.#askedBy.delete(item.id)\n', ''],
    ['this.#byThread.delete(threadId)', 'this.#byThread.clear()'],
  ],
  'server-requests.ts': [
    ['if (open.controller.signal.aborted) return refuse(method, params, facts)', ''],
    ['if (isRefusal(error)) throw error', ''],
    ['controller.abort(error)', ''],
    ['.parent?.turnId ?? turnId', '.parent ? turnId : turnId'],
    ['turnId !== null && turnId === ended', 'turnId !== null'],
    ['await this.#options.opened(threadId)', 'await null'],
    ['this.#items.markAsked(question.itemId, facts.requestId)', '{}'],
    ["this.#options.onIncident({ type: 'request-refused', method, params, error: null })", ''],
    ['error: isNobody(error) ? null : error', 'error'],
    ['if (controller.signal.aborted)\n', 'if (false)\n'],
    ["if (typeof answer === 'object' && 'result' in answer) return answer.result", ''],
    ['open.question = question', ''],
  ],
}

/** What a tool of the host is given, and what codex hears of it. */
const tools: typeof byFile = {
  'json-schema.ts': [
    ['if (missing !== undefined) return', 'if (false) return'],
    ["if (name === 'integer') return Number.isInteger(value)", ''],
    ['!isSame(value, only)', 'false'],
    ['!names.some((name) => isOfType(value, name))', 'false'],
  ],
  'call-tool.ts': [
    ['if (checked.issues)', 'if (false)'],
    ["({ outcome: 'ok', result: resultOf(output) })", "({ outcome: 'failed', result: resultOf(output) })"],
    [
      'Promise.race([ran, late, cancelled(wanted, over.signal)])',
      'Promise.race([ran, cancelled(wanted, over.signal)])',
    ],
    ['Promise.race([ran, late, cancelled(wanted, over.signal)])', 'Promise.race([ran, late])'],
    ['redactValue(given)', 'given'],
  ],
  'dynamic-tools.ts': [
    ['if (!tool) return', 'if (!tool) throw'],
    ['parent?.threadId ?? threadId', 'threadId'],
  ],
  'tool-output.ts': [
    ['success: !isError', 'success: isError'],
    ['if (size > mediaLeft)', 'if (false)'],
    ['const text = cut(String(piece.text), textLeft)', 'const text = String(piece.text)'],
  ],
  'tool.ts': [
    ["return schema['~standard'].validate(given)", 'return { value: given }'],
    ['problem === null ? { value: given }', 'true ? { value: given }'],
  ],
}

/** How the client puts the gate in its place: only the real codex notices. */
const client: readonly Mutation[] = [
  ['client.ts', 'onApproval: options.onApproval ?? null', 'onApproval: null', REAL],
  ['client.ts', 'approvalTimeoutMs: options.approvalTimeoutMs ?? null', 'approvalTimeoutMs: null', REAL],
  ['client.ts', 'this.#gate.close(reason)', '', REAL],
  ['gate.ts', 'lookUpPaths(ruling, thread.paths.realPath,', 'lookUpPaths(ruling, async () => null,', RULES],
  [
    'gate.ts',
    'lookUpPaths(ruling, thread.paths.realPath,',
    'lookUpPaths(ruling, async (place) => place,',
    RULES,
  ],
  ['client.ts', 'this.#gate.leaveThread(threadId)', '', ASYNC],
  ['gate.ts', 'threadId === null ? null : threads.parentOf(threadId)', 'null', REAL],
  ['gate.ts', 'threads.parentOf(threadId)?.threadId ?? threadId', 'threadId', RULES],
  ['requests/rules-first.ts', 'signal.throwIfAborted()', '', RESUMED],
  ['gate.ts', 'thread?.approvals ? this.#judged(question, thread, signal) : null', 'null', RULES],
  ['gate.ts', 'this.#asyncQuestions.withdrawAll(reason)', '', ASYNC],
  ['gate.ts', 'this.#asyncQuestions.observe(notification)', '', ASYNC],
  [
    'policy/thread-rights.ts',
    'this.#workplace = workplaceAfter(this.#workplace, { ...params, sandboxPolicy: rights.sandbox })',
    '',
    RULES,
  ],
  ['thread/thread.ts', 'clientMessageId }, this.#lastOptions)', 'clientMessageId }, {})', ASYNC],
  ['thread/thread-opener.ts', 'if (open && approvals) open.setApprovals(approvals)', '', RULES],
  ['thread/thread-opener.ts', "await this.#opening.get(threadId ?? '')?.catch(() => {})", '', RESUMED],
].map(([file, find, replace, tests]) => ({ file: `src/codex/${file}`, find, replace, tests }) as Mutation)

export const mutations: readonly Mutation[] = [
  ...Object.entries(byFile).flatMap(([name, pairs]) =>
    pairs.map(([find, replace]) => ({ file: `src/codex/requests/${name}`, find, replace })),
  ),
  ...Object.entries(tools).flatMap(([name, pairs]) =>
    pairs.map(([find, replace]) => ({ file: `src/codex/tools/${name}`, find, replace, tests: TOOLS })),
  ),
  ...client,
]
