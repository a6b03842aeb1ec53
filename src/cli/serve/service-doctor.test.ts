import { describe, expect, it } from 'vitest'
import type { Report } from '../doctor/report.ts'
import { ServiceDoctor } from './service-doctor.ts'

const REPORT: Report = {
  ok: true,
  drawbridge: '0',
  node: '24',
  codex: null,
  codexHome: null,
  dataFolder: '/data',
  checks: [{ id: 'node', status: 'ok', what: 'Node 24', fix: null }],
}

function doctorOf({ longestMs }: { longestMs?: number } = {}) {
  const clock = { now: 1000 }
  const checks: { end: (report: Report) => void; signal: AbortSignal }[] = []
  const diagnose = ({ signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Report>()
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    checks.push({ end: resolve, signal })
    return promise
  }
  const doctor = new ServiceDoctor({ diagnose, now: () => clock.now, ...(longestMs && { longestMs }) })
  return { doctor, checks, clock }
}

describe('the doctor of the service', () => {
  it('checks once for all who ask meanwhile, and says when', async () => {
    const { doctor, checks } = doctorOf()
    const asked = [doctor.check(), doctor.check()]
    checks[0]!.end(REPORT)
    expect(await Promise.all(asked)).toEqual([
      { ...REPORT, checkedAt: 1000 },
      { ...REPORT, checkedAt: 1000 },
    ])
    expect(checks).toHaveLength(1)
  })

  it('gives what it found again for a moment, then checks again', async () => {
    const { doctor, checks, clock } = doctorOf()
    const first = doctor.check()
    checks[0]!.end(REPORT)
    await first
    clock.now += 4999
    expect((await doctor.check()).checkedAt).toBe(1000)
    clock.now += 1
    const second = doctor.check()
    checks[1]!.end(REPORT)
    expect((await second).checkedAt).toBe(6000)
  })

  it('does not take longer than a request may, and can be asked again', async () => {
    const { doctor, checks } = doctorOf({ longestMs: 10 })
    await expect(doctor.check()).rejects.toMatchObject({ code: 'unavailable' })
    const again = doctor.check()
    checks[1]!.end(REPORT)
    expect(await again).toMatchObject({ ok: true })
  })

  it('stops checking when the service does', async () => {
    const { doctor, checks } = doctorOf()
    const asked = doctor.check()
    const refused = expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    await doctor.close()
    await refused
    expect(checks[0]!.signal.aborted).toBe(true)
  })
})
