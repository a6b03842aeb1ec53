import { expect, it } from 'vitest'
import { runHere } from './local-command.ts'

const sh = (script: string) => ({ program: 'sh', args: ['-c', script] })

it.runIf(process.platform === 'linux')(
  'returns at its deadline, whatever still has its output open',
  async () => {
    // Of another session, so that no signal to the command reaches it; it ends by itself.
    const { stdout } = await runHere(process.env, sh('setsid sleep 20 >/dev/null 2>&1 & echo $!'))
    expect(Number(stdout)).toBeGreaterThan(0)
    for (const script of ['setsid sleep 20 & sleep 20', 'setsid sleep 20 &']) {
      const run = runHere(process.env, { ...sh(script), timeoutMs: 200 })
      await expect(run).rejects.toMatchObject({ code: 'command-timed-out' })
    }
    const ending = new AbortController()
    const run = runHere(process.env, { ...sh('setsid sleep 20 & sleep 20'), signal: ending.signal })
    ending.abort(new Error('given up'))
    await expect(run).rejects.toThrow('given up')
  },
  10_000,
)
