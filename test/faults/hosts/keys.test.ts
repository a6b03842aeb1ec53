// Who answers at the address of a host: nobody is believed whom a person has not confirmed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { HostKeyError } from '../../../src/hosts/ssh/index.ts'
import { makeKey } from '../../support/ssh/keys.ts'
import { openHost } from '../../support/ssh/open-host.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'

describe('the key of a host', () => {
  it('is shown when it is not known, and believed after a person confirmed it, in a file of ours', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage, { isKnown: false })
    const refused = await host.connect().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(HostKeyError)
    expect(refused).toMatchObject({
      code: 'host-key-unknown',
      retryable: false,
      keys: [{ type: 'ssh-ed25519', fingerprint: stage.fingerprint() }],
    })
    expect(host.state).toMatchObject({ status: 'broken', why: refused })
    await host.acceptKey(stage.fingerprint())
    await host.connect()
    expect(host.state.status).toBe('connected')
    expect(existsSync(path.join(dataDir, 'users_known_hosts'))).toBe(false)
    expect(readFileSync(path.join(dataDir, 'ssh/known_hosts'), 'utf8').trim().split('\n')).toHaveLength(1)
    // Once more changes nothing.
    await host.acceptKey(stage.fingerprint())
    expect(readFileSync(path.join(dataDir, 'ssh/known_hosts'), 'utf8').trim().split('\n')).toHaveLength(1)
  })

  it('is not believed by another fingerprint than its own', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage, { isKnown: false })
    await expect(host.acceptKey(`SHA256:${'A'.repeat(43)}`)).rejects.toMatchObject({
      code: 'host-key-differs',
      keys: [{ fingerprint: stage.fingerprint() }],
    })
    expect(existsSync(path.join(dataDir, 'ssh/known_hosts'))).toBe(false)
    await expect(host.connect()).rejects.toMatchObject({ code: 'host-key-unknown' })
  })

  it.each([{ isKnown: true }, { isKnown: false }])(
    'that has changed is never accepted (user knows it: $isKnown)',
    async ({ isKnown }) => {
      const stage = await sshStage()
      const { host, dataDir } = openHost(stage, { isKnown })
      if (!isKnown) await host.acceptKey(stage.fingerprint())
      await host.connect()
      await host.close()
      await stage.changeHostKey()
      const { host: again } = openHost(stage, { isKnown, options: { dataDir } })
      await expect(again.connect()).rejects.toMatchObject({
        code: 'host-key-changed',
        keys: [{ fingerprint: stage.fingerprint() }],
        hint: expect.stringContaining('ssh-keygen -R'),
      })
      const known = path.join(dataDir, 'ssh/known_hosts')
      const before = existsSync(known) && readFileSync(known, 'utf8')
      await expect(again.acceptKey(stage.fingerprint())).rejects.toMatchObject({ code: 'host-key-changed' })
      expect(existsSync(known) && readFileSync(known, 'utf8')).toBe(before)
    },
  )

  it('that changes while the connection is up ends the tries to make it again', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { times: { retryBaseMs: 50 } } })
    await host.connect()
    await stage.killSshd({ withSessions: true })
    await stage.changeHostKey()
    await expect.poll(() => host.state).toMatchObject({ status: 'broken', why: { code: 'host-key-changed' } })
  })

  it('is checked of the host that we go through as well', async () => {
    const near = await sshStage()
    const { host } = openHost(near, {
      isKnown: false,
      spec: { jump: `${near.destination}:${near.port}`, destination: `${near.user}@127.0.0.1:2` },
    })
    await expect(host.connect()).rejects.toMatchObject({
      code: 'host-key-unknown',
      keys: [{ fingerprint: near.fingerprint() }],
    })
  })
})

describe('a host that does not let us in', () => {
  it('is not asked again and again, and says what to do', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage)
    const other = path.join(dataDir, 'other-key')
    makeKey(other)
    const { host: stranger } = openHost(stage, { spec: { identity: other } })
    await expect(stranger.connect()).rejects.toMatchObject({
      code: 'ssh-auth-refused',
      retryable: false,
      hint: expect.stringContaining('without asking'),
    })
    expect(stranger.state.status).toBe('broken')
    await host.connect()
  })

  it('is said to be out of reach when nobody listens, or nobody knows the name', async () => {
    const stage = await sshStage()
    await stage.killSshd()
    const { host } = openHost(stage)
    await expect(host.connect()).rejects.toMatchObject({ code: 'ssh-unreachable', retryable: true })
    const { host: nowhere } = openHost(stage, { spec: { destination: 'nowhere.invalid' } })
    await expect(nowhere.connect()).rejects.toMatchObject({ code: 'ssh-unreachable' })
  })

  it('is reached through another one', async () => {
    const near = await sshStage()
    // Seen from the host, it is itself at the address it listens on.
    const { host } = openHost(near, { spec: { jump: `${near.destination}:${near.port}` } })
    expect((await host.facts()).home).toBe(near.home)
  })

  it('has what ssh is missing told', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { ssh: '/nowhere/ssh' } })
    await expect(host.connect()).rejects.toMatchObject({ code: 'ssh-not-installed' })
  })

  it('never sees what a user’s config would do beyond the connection', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage)
    const witness = path.join(dataDir, 'local-command-ran')
    const config = readFileSync(path.join(dataDir, 'ssh_config'), 'utf8')
    const more = [
      'RemoteCommand touch remote-command-ran',
      'RequestTTY force',
      'PermitLocalCommand yes',
      `LocalCommand touch ${witness}`,
      'ForwardAgent yes',
      'LocalForward 127.0.0.1:1 127.0.0.1:1',
      'ControlMaster auto',
      `ControlPath ${dataDir}/theirs-%C`,
      'ControlPersist yes',
      'StrictHostKeyChecking no',
      'SendEnv *',
      'ForkAfterAuthentication yes',
      'SessionType subsystem',
      'StdinNull yes',
      'Tunnel yes',
      'ServerAliveInterval 0',
      'StreamLocalBindUnlink no',
      'GatewayPorts yes',
      'NoHostAuthenticationForLocalhost yes',
      'VerifyHostKeyDNS yes',
      'EscapeChar none',
      'LogLevel QUIET',
    ]
    writeFileSync(path.join(dataDir, 'ssh_config'), `${config}${more.map((line) => `  ${line}\n`).join('')}`)
    expect((await host.facts()).home).toBe(stage.home)
    expect(existsSync(witness)).toBe(false)
    expect(existsSync(path.join(stage.homeHere, 'remote-command-ran'))).toBe(false)
    await stage.killSshd({ withSessions: true })
    await stage.changeHostKey()
    await expect.poll(() => host.state).toMatchObject({ status: 'broken', why: { code: 'host-key-changed' } })
  })
})
