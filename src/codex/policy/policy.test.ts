import { describe, expect, it } from 'vitest'
import { type PolicyIncident, pickPolicy, policyDifferences, policyParams } from './policy.ts'

function params(policy: Parameters<typeof pickPolicy>[0], version: string | null = '0.166.0') {
  const mapped: PolicyIncident[] = []
  const sent = policyParams(pickPolicy({ trustedRoot: '/srv', ...policy }), {
    protection: null,
    isExperimental: true,
    version,
    onMapped: (incident) => void mapped.push(incident),
  })
  return { sent, mapped }
}

const trusted = { projects: { '/srv': { trust_level: 'trusted' } } }

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

  it('counts a sandbox in the configuration unless one is named, and sends it as no configuration', () => {
    const config = { sandbox_mode: 'workspace-write', 'features.x': true }
    const kept = { config: { 'features.x': true } }
    expect(pickPolicy({ config })).toEqual({ ...kept, sandbox: 'workspace-write' })
    expect(pickPolicy({ config, sandbox: 'read-only' })).toEqual({ ...kept, sandbox: 'read-only' })
    expect(pickPolicy({ config: { default_permissions: 'own' } })).toEqual({ permissions: 'own' })
  })

  it('never leaves the approval policy in the configuration, and puts the effort there', () => {
    const config = { approval_policy: 'untrusted', 'features.x': true }
    const { sent } = params({ effort: 'high', approvalPolicy: 'untrusted', config })
    expect(sent).toEqual({
      approvalPolicy: 'untrusted',
      config: { 'features.x': true, model_reasoning_effort: 'high', ...trusted },
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
      trustedRoot: '/srv',
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
