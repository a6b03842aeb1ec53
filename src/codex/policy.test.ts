import { describe, expect, it } from 'vitest'
import { type PolicyIncident, pickPolicy, policyDifferences, policyParams } from './policy.ts'

function params(policy: Parameters<typeof policyParams>[0], version: string | null = '0.166.0', config = {}) {
  const mapped: PolicyIncident[] = []
  const sent = policyParams(policy, { config, version, onMapped: (incident) => void mapped.push(incident) })
  return { sent, mapped }
}

describe('policy', () => {
  it('is picked from other options; what is not set is left out', () => {
    const options = { cwd: '/srv', model: 'm', effort: null, sandbox: 'read-only', ephemeral: true } as never
    expect(pickPolicy(options)).toEqual({ model: 'm', sandbox: 'read-only' })
  })

  it('counts an approval policy in the configuration unless one is named', () => {
    const config = { approval_policy: 'untrusted' }
    expect(pickPolicy({ config })).toEqual({ approvalPolicy: 'untrusted' })
    expect(pickPolicy({ config, approvalPolicy: 'never' })).toEqual({ approvalPolicy: 'never' })
  })

  it('never leaves the approval policy in the configuration, and puts the effort there', () => {
    const { sent } = params({ effort: 'high', approvalPolicy: 'untrusted' }, '0.166.0', {
      approval_policy: 'untrusted',
      'features.x': true,
    })
    expect(sent).toEqual({
      approvalPolicy: 'untrusted',
      config: { 'features.x': true, model_reasoning_effort: 'high' },
    })
  })

  it.each([
    ['0.142.5', 'on-failure', 0],
    ['0.143.0', 'on-request', 1],
    [null, 'on-request', 1],
  ])('sends on-failure to codex %s as %s', (version, expected, incidents) => {
    const { sent, mapped } = params({ approvalPolicy: 'on-failure' }, version)
    expect(sent.approvalPolicy).toBe(expected)
    expect(mapped).toHaveLength(incidents)
  })

  it('differs only where codex reports another value', () => {
    const policy = {
      sandbox: 'workspace-write',
      approvalPolicy: 'untrusted',
      model: 'a',
      effort: 'low',
    } as const
    const settings = { sandbox: { type: 'readOnly' }, approvalPolicy: 'untrusted', model: 'b' } as never
    expect(policyDifferences(policy, settings, 't')).toEqual([
      { type: 'policy-differs', threadId: 't', field: 'sandbox', asked: 'workspaceWrite', got: 'readOnly' },
      { type: 'policy-differs', threadId: 't', field: 'model', asked: 'a', got: 'b' },
    ])
  })
})
