import { EXIT, type Surroundings } from '../process/index.ts'
import { run } from './run.ts'
import type { RunFlags } from './turn-request.ts'

export interface DemoFlags {
  readonly yes?: boolean
}

const WELCOME = `Drawbridge runs Codex for you. This is the real Codex, in a small repository made for this demo.
Only the model behind it is scripted: no account, no network, no cost.`

/** `drawbridge demo`: one turn on the demo model, in a sample of its own. */
export async function demo(prompt: string, { yes }: DemoFlags, surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings
  stdout.write(`${WELCOME}\n\n› ${prompt}\n`)
  const flags: RunFlags = {
    demo: true,
    yes,
    sandbox: 'read-only',
    timeout: '3600',
    rule: [],
    image: [],
    passEnv: [],
  }
  // All of it is for people, so all of it goes to one place, in one order.
  const code = await run(prompt, flags, { ...surroundings, stderr: stdout })
  return code === EXIT.declined ? EXIT.done : code
}
