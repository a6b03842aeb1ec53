import type { Repair } from '../../tasks/index.ts'

/** What a repair of the database did, one sentence or two a line. */
export function repairLines({ damage, setAside, backup, salvaged, incomplete }: Repair): string[] {
  const source = backup
    ? `The rest comes from the backup of ${utc(backup.at)} (${backup.file}); rows that are in neither are missing.`
    : 'There was no good backup: the rest is missing.'
  const missing =
    incomplete.length === 0
      ? 'Every table could be read to its end: nothing is missing.'
      : `These tables could not be read completely: ${incomplete.join(', ')}. ${source}`
  const rows = Object.entries(salvaged).map(([table, count]) => `${table} ${count}`)
  return [
    `The database was damaged (${damage}) and has been repaired. ${missing}`,
    `Rows taken from the damaged file: ${rows.join(', ')}.`,
    `The damaged file was kept, unchanged: ${setAside}`,
  ]
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
