import { describe, expect, it } from 'vitest'
import { familyOf, refuse } from './families.ts'
import { facts } from './fixtures/facts.ts'

const decline = { action: 'decline', content: null, _meta: null }

describe('the refusal', () => {
  it.each<[string, unknown]>([
    ['item/commandExecution/requestApproval', { decision: 'decline' }],
    ['item/fileChange/requestApproval', { decision: 'decline' }],
    ['item/permissions/requestApproval', { permissions: {}, scope: 'turn' }],
    ['item/tool/requestUserInput', { answers: {} }],
    ['mcpServer/elicitation/request', decline],
    ['item/later/requestApproval', { decision: 'decline' }],
    ['laterApproval', { decision: 'decline' }],
    ['later/elicitation/ask', decline],
  ])('of %s is in its shape, with params or without', (method, refusal) => {
    expect(refuse(method, {}, facts())).toEqual(refusal)
    expect(refuse(method, undefined, facts())).toEqual(refusal)
  })

  it('of a tool call names the tool', () => {
    expect(refuse('item/tool/call', { tool: 'tides' }, facts())).toEqual({
      contentItems: [{ type: 'inputText', text: 'The tool tides is not available.' }],
      success: false,
    })
  })

  it.each([
    ['account/chatgptAuthTokens/refresh', -32000],
    ['attestation/generate', -32000],
    ['currentTime/read', -32000],
    ['later/question', -32601],
    ['toString', -32601],
    ['item/approvalNote', -32601],
  ])('of %s is an error', (method, rpcCode) => {
    expect(() => refuse(method, {}, facts())).toThrow(expect.objectContaining({ name: 'Refusal', rpcCode }))
  })

  it.each(['applyPatchApproval', 'execCommandApproval'])('of %s depends on the version', (method) => {
    const reasoned = { decision: { denied: { rejection: 'nobody approved it' } } }
    const denial = (codexVersion: string | null) => refuse(method, {}, facts({ codexVersion }))
    expect(denial('0.125.0')).toEqual({ decision: 'denied' })
    expect(denial('0.142.5')).toEqual({ decision: 'denied' })
    expect(denial('0.143.0')).toEqual(reasoned)
    expect(denial('0.150.1')).toEqual(reasoned)
    expect(denial(null)).toEqual(reasoned)
  })
})

describe('a family', () => {
  it('is known by its method only', () => {
    expect(familyOf('item/fileChange/requestApproval')).not.toBeNull()
    expect(familyOf('item/later/requestApproval')).toBeNull()
    expect(familyOf('constructor')).toBeNull()
  })

  it('that no person answers cannot be asked', () => {
    for (const method of ['item/tool/call', 'currentTime/read', 'attestation/generate', 'applyPatchApproval'])
      expect(familyOf(method)?.ask).toBeUndefined()
  })
})
