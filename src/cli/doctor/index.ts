// `drawbridge doctor`: can Codex run here?
export { addDoctorCommand } from './command.ts'
export { diagnose } from './diagnose.ts'
export type { Report } from './report.ts'
