import type { LocalHostOptions } from '../../src/hosts/index.ts'
import { type FakeCodex, type FakeScript, fakeCodex } from '../../src/testing/index.ts'
import { WatchedHost } from './watched-host.ts'

/** A host that starts a fake codex. */
export class FakeHost extends WatchedHost {
  readonly program: FakeCodex

  constructor(program: FakeCodex, options: LocalHostOptions) {
    super({ codexPath: program.path, ...options })
    this.program = program
  }

  /** The pid of the first child the fake has started. */
  async childPid(): Promise<number> {
    const started = await this.program.waitFor(({ event }) => event === 'childStarted')
    return started.event === 'childStarted' ? started.childPid : 0
  }

  /** What the fake was answered when it asked under this id. */
  async answerTo(id: string | number): Promise<unknown> {
    const event = await this.program.waitFor(
      (event) => event.event === 'received' && event.message.id === id && event.message.method === undefined,
    )
    const { result, error } = event.event === 'received' ? event.message : {}
    return result === undefined ? { error } : result
  }

  protected override release(): Promise<void> {
    return this.program.remove()
  }
}

export async function fakeHost(
  script: FakeScript | readonly FakeScript[] = {},
  options: LocalHostOptions = {},
): Promise<FakeHost> {
  return new FakeHost(await fakeCodex(script), options)
}
