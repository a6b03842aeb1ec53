import { describe, expect, it } from 'vitest'
import { answer } from './answer.ts'
import type { Step } from './seen.ts'

const ran = (code: number, output: string) =>
  `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOutput:\n${output}\n`
const FAILING = ran(1, '✔ a cart pays\n✖ a farmer pays half: wanted 4, got -392')
const PASSING = ran(0, '✔ a cart pays\n✔ a farmer pays half')
const LOOK = ran(0, '.git\nREADME.md\ntoll.js\n# toll\n\nWhat a cart pays.\n\nTest it.')
const FIXED =
  'Exit code: 0\nWall time: 0.3 seconds\nOutput:\nSuccess. Updated the following files:\nM toll.js\n'
const REFUSED = 'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }'

const said = (asked: string, steps: Partial<Record<Step, string>>) =>
  answer({
    asked,
    said: new Map(Object.entries({ look: LOOK, ...steps }) as [Step, string][]),
    hasTool: () => true,
  })

const ALL = {
  test: FAILING,
  fix: FIXED,
  retest: PASSING,
  keep: ran(0, '[main 3d7cad8] Take it\n 1 file changed'),
}

describe('what the demo model says last', () => {
  it('is what happened: the test, the file, the fix, the commit', () => {
    const text = said('Fix the failing test', ALL)
    expect(text).toMatch(/^The test “a farmer pays half” failed: it wanted 4 and got -392\. `toll\.js`/)
    expect(text).toContain('Both tests pass now. It is committed as `3d7cad8`.')
    expect(text).not.toContain('You asked')
  })

  it('takes up a question about the folder with what it read there', () => {
    const text = said('what does this folder do?', ALL)
    expect(text).toContain('You asked: “what does this folder do?”')
    expect(text).toContain('This folder is `toll`. What a cart pays.\nIn it: `.git`, `README.md`, `toll.js`.')
  })

  it('says of anything else that it cannot, and what it did instead', () => {
    const text = said(`write a poem\nof ${'many '.repeat(80)}lines`, ALL)
    expect(text).toContain('You asked: “write a poem …”\n\nThat is beyond me.')
    expect(text).toContain('3d7cad8')
  })

  it('does not claim what the answer no prevented', () => {
    const unchanged = said('fix it', { test: FAILING, fix: 'patch rejected by user' })
    expect(unchanged).toContain(
      'I did not change it, because the answer was no: “a farmer pays half” still fails.',
    )
    expect(unchanged).not.toMatch(/pass now|committed/)
    const uncommitted = said('fix it', { ...ALL, keep: REFUSED })
    expect(uncommitted).toContain('Both tests pass now. It is not recorded, because the answer was no')
    expect(uncommitted).not.toContain('committed as')
  })

  it('does not hide what went wrong', () => {
    const says = (steps: Partial<Record<Step, string>>) => said('fix it', steps)
    expect(says({ test: ran(127, 'sh: node: not found') })).toContain(
      'The test could not be run here, so I changed nothing. Codex says: sh: node: not found',
    )
    expect(says({ test: PASSING })).toContain('Both tests pass: there was nothing to fix.')
    expect(says({ test: FAILING, fix: 'Output:\nno such line' })).toContain('The change could not be made')
    expect(says({ ...ALL, retest: FAILING })).toContain('the test still does not pass')
    expect(says({ ...ALL, keep: ran(128, 'fatal: no') })).toContain(
      'It could not be recorded. Codex says: fatal: no',
    )
    expect(says({ ...ALL, keep: ran(0, '') })).toContain('It is noted in `CHANGES.md`.')
  })
})
