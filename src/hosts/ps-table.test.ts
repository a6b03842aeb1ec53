import { describe, expect, it } from 'vitest'
import { parseFacts, psTable } from './ps-table.ts'

describe.skipIf(process.platform === 'win32')('the table made with ps', () => {
  it('knows us, our parent and nobody who does not exist', () => {
    const [us] = psTable.look([process.pid])
    expect(us).toMatchObject({ pid: process.pid, parentPid: process.ppid })
    expect(psTable.look([process.pid])).toEqual([us])
    expect(psTable.look([2 ** 22 + 1])).toEqual([])
    expect(psTable.look([])).toEqual([])
  })

  it('lists everyone with the same identities', async () => {
    expect(await psTable.all()).toContainEqual(psTable.look([process.pid])[0])
  })

  it('leaves out zombies and lines it does not understand', () => {
    const lines =
      '  812     1 Ss   Sat Nov 15 21:40:01 2025\n 900 812 Z+ Sat Nov 15 21:40:02 2025\n\nps: oops\n'
    expect(parseFacts(lines)).toEqual([
      { pid: 812, parentPid: 1, start: 'Sat Nov 15 21:40:01 2025', sessionPid: null },
    ])
  })
})
