import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SshStage, sshStage } from '../../support/ssh/ssh-stage.ts'

const run = promisify(execFile)

async function ssh(stage: SshStage, command: string, ...more: string[]): Promise<string> {
  const options = ['BatchMode=yes', `UserKnownHostsFile=${stage.knownHosts}`, 'IdentitiesOnly=yes', ...more]
  const args = options.flatMap((option) => ['-o', option])
  const where = ['-F', 'none', '-i', stage.identityFile, '-p', String(stage.port), stage.destination]
  return (await run('ssh', [...args, ...where, command])).stdout
}

describe('the stage of an ssh host', () => {
  it('lets a user in with a key, into a home of its own', async () => {
    const stage = await sshStage()
    expect(await ssh(stage, 'echo "$HOME"; id -un')).toBe(`${stage.home}\n${stage.user}\n`)
    expect(stage.log()).toContain('Accepted publickey')
  })

  it('is silent while the link is cut, and goes on when it is healed', async () => {
    const stage = await sshStage()
    await stage.cut()
    await expect(ssh(stage, 'true', 'ConnectTimeout=1')).rejects.toThrow(/timed out/i)
    await stage.heal()
    expect(await ssh(stage, 'echo back')).toBe('back\n')
  })

  it('takes its time on a slow link', async () => {
    const stage = await sshStage({ isSlow: true })
    stage.delay(50)
    const begun = performance.now()
    await ssh(stage, 'true')
    // The greeting, the key exchange and the login alone are more than three round trips.
    expect(performance.now() - begun).toBeGreaterThan(300)
  })

  it('loses its connections, its sshd or everything, and comes back', async () => {
    const stage = await sshStage()
    const cut = ssh(stage, 'echo here; sleep 100')
    cut.catch(() => {})
    await expect.poll(stage.commands).toContain('sleep 100 ')
    await stage.killSessions()
    await expect(cut).rejects.toMatchObject({ code: 255 })
    await stage.killSshd()
    await expect(ssh(stage, 'true')).rejects.toThrow(/refused|reset|closed/)
    await stage.startSshd()
    await ssh(stage, '(setsid sleep 101 >/dev/null 2>&1 &)')
    await expect.poll(stage.commands).toContain('sleep 101 ')
    await stage.reboot()
    expect(await stage.commands()).toEqual([])
    expect(await ssh(stage, 'echo back')).toBe('back\n')
  })

  it('has no room or a home that cannot be written', async () => {
    const stage = await sshStage()
    await stage.run('mkdir', `${stage.home}/full`)
    await stage.noRoom(`${stage.home}/full`)
    await expect(ssh(stage, 'head -c 3000000 /dev/zero > "$HOME/full/file"')).rejects.toThrow(
      /No space|too large|size limit/,
    )
    await stage.readOnlyHome()
    await expect(ssh(stage, 'touch "$HOME/file"')).rejects.toThrow(/Read-only|denied/)
  })

  it('reaches a server on our loopback that is offered to it, also after a reboot', async () => {
    const server = createServer((socket) => socket.end('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const stage = await sshStage()
    const { port } = server.address() as { port: number }
    await stage.offer(port)
    await stage.reboot()
    expect(await ssh(stage, `bash -c 'cat < /dev/tcp/127.0.0.1/${port}'`)).toBe('hello')
  })

  it('can have another key', async () => {
    const stage = await sshStage()
    const before = stage.fingerprint()
    await stage.changeHostKey()
    expect(stage.fingerprint()).not.toBe(before)
    await expect(ssh(stage, 'true')).rejects.toThrow(/IDENTIFICATION HAS CHANGED/)
  })
})
