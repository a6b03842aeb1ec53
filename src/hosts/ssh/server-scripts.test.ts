import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FUNCTIONS, LIST } from './server-scripts.ts'
import { COMMON, told, valuesNamed } from './shell.ts'

/** Lists the servers of a home in which the shell itself is on record as one. */
function list({ broken }: { broken: string }) {
  const home = mkdtempSync(path.join(tmpdir(), 'drawbridge-servers-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const folder = path.join(home, '.local/state/drawbridge/servers/us/one')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'record'), 'kind=exec-server\n')
  writeFileSync(path.join(folder, 'log'), '')
  // In brackets, as it runs on a host.
  const script = `(${COMMON}
owner=us
${FUNCTIONS}
echo "$$ $(start_of $$)" > "$ours/one/pid"
${broken}
${LIST})`
  const env = { HOME: home, PATH: process.env.PATH }
  const { status, stdout } = spawnSync('/bin/sh', ['-s'], { input: script, env })
  const said = told(stdout)
  const [alive, dead] = [valuesNamed(said, 'id'), valuesNamed(said, 'dead')]
  return { status, alive, dead, isThere: existsSync(folder) }
}

describe('the list of servers on a host', () => {
  it('has a server that lives, also where no more processes can be started', () => {
    const found = { status: 0, alive: ['one'], dead: [], isThere: true }
    expect(list({ broken: '' })).toEqual(found)
    expect(list({ broken: 'cat() { return 1; }' })).toEqual(found)
  })

  it('fails and removes nothing when it cannot be told whether a server lives', () => {
    expect(list({ broken: 'read() { return 1; }' })).toEqual({
      status: 4,
      alive: [],
      dead: [],
      isThere: true,
    })
    // The pid can be read, the process cannot.
    const broken = 'start_of() { return 1; }'
    expect(list({ broken })).toMatchObject({ status: 4, dead: [], isThere: true })
  })
})
