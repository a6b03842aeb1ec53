// What `stop` does when no service answers: its app-servers may still run.
import { endLeftBehind, leftBehind } from '../../hosts/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { count, printJson } from '../screen/index.ts'
import { readServiceRecord } from './service-record.ts'

export async function stopLeftBehind(
  dataDir: string,
  { kill, json }: { kill?: boolean; json?: boolean },
  place: Pick<Surroundings, 'stdout' | 'stderr'>,
): Promise<number> {
  const silentPid = readServiceRecord(dataDir)?.pid ?? null
  // They may be those of a service that is only slow to answer.
  const reaped = kill && silentPid === null ? await endLeftBehind(dataDir) : []
  const ended = reaped.filter(({ wasRunning }) => wasRunning).length
  const survivors = reaped.flatMap((each) => each.survivors.map(({ pid }) => pid))
  const left = leftBehind(dataDir)
  if (json) printJson(place, { stopped: false, running: false, appServers: { ended, left } })
  else place.stderr.write(`${leftBehindText({ silentPid, ended, left })}\n`)
  if (survivors.length === 0) return EXIT.done
  place.stderr.write(`These processes could not be ended: ${survivors.join(', ')}\n`)
  return EXIT.failed
}

export function leftBehindText({
  silentPid,
  ended,
  left,
}: {
  silentPid: number | null
  ended: number
  left: number
}): string {
  const first = silentPid === null ? '' : `kill ${silentPid}, then `
  const how = asTyped(`the next start takes over, and ${first}drawbridge stop --kill ends what is left`)
  return [
    silentPid === null ? 'No service runs.' : `Process ${silentPid} does not answer as the service.`,
    ...(ended > 0 ? [`Ended ${count(ended, 'app-server')} that had been left running.`] : []),
    ...(left > 0 ? [`Left running: ${count(left, 'app-server')}; ${how}.`] : []),
  ].join(' ')
}
