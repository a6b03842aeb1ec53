import { describe, expect, it } from 'vitest'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { openHost } from '../../support/ssh/open-host.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'

describe('a host that is reached with ssh', () => {
  it('says what it is and has', async () => {
    const stage = await sshStage({ profile: 'echo "Welcome! $((1 + 1)) messages"; echo noise >&2\n' })
    const { host } = openHost(stage)
    expect(host.state.status).toBe('idle')
    const facts = await host.facts()
    expect(facts).toMatchObject({
      platform: 'linux',
      home: stage.home,
      user: stage.user,
      isWritable: true,
      codex: [],
    })
    expect(facts.tools).toContain('tar')
    expect(facts.freeBytes).toBeGreaterThan(0)
    expect(host.state).toMatchObject({ status: 'connected', roundTripMs: expect.any(Number) })
  })

  it('gets codex brought to a bare home, and runs an exec-server that is found again', async () => {
    const stage = await sshStage()
    const { host, dataDir } = openHost(stage)
    const version = codexVersionHere()
    const sent: number[] = []
    const first = await host.execServer({
      version,
      onProgress: ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes),
    })
    expect(first).toMatchObject({ version, remoteHome: stage.home, wasRunning: false })
    expect(sent.at(-1)).toBe(1)
    expect((await stage.commands()).join()).not.toContain(first.token)
    await host.close()
    const { host: again } = openHost(stage, { options: { dataDir } })
    const second = await again.execServer({ version })
    expect(second).toEqual({ ...first, wasRunning: true })
    expect(await again.servers()).toMatchObject([{ id: first.id, kind: 'exec-server', version }])
    await again.endServer(first.id)
    expect(await again.servers()).toEqual([])
    await expect.poll(stage.commands).toEqual([])
  })
})
