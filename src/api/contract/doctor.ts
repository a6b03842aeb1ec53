import { z } from 'zod'

export const DoctorCheck = z
  .object({
    id: z.string().meta({ description: 'What was looked at: `codex`, `login`, `sandbox` …' }),
    status: z.enum(['ok', 'warn', 'fail']),
    what: z.string().meta({ description: 'One line a person can read.' }),
    fix: z.string().nullable().meta({ description: 'What to do about it.' }),
  })
  .meta({ id: 'DoctorCheck' })
export type DoctorCheck = z.infer<typeof DoctorCheck>

export const DoctorReport = z
  .object({
    ok: z.boolean().meta({ description: 'Nothing failed; there may be warnings.' }),
    drawbridge: z.string(),
    node: z.string(),
    codex: z.object({ path: z.string(), source: z.string(), version: z.string() }).nullable(),
    codexHome: z.string().nullable(),
    dataFolder: z.string(),
    checks: z.array(DoctorCheck),
    checkedAt: z.number(),
  })
  .meta({ id: 'DoctorReport', description: 'What `drawbridge doctor --json` prints, and when it was found.' })
export type DoctorReport = z.infer<typeof DoctorReport>
