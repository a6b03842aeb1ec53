/** A moment on the clock of this terminal: `09:05` today, `2026-11-16 09:05` on any other day. */
export function localTime(at: number, now: number): string {
  const [day, time] = local(at)
  return day === local(now)[0] ? time! : `${day} ${time}`
}

/** Sweden writes times as everybody can read them. */
function local(at: number): string[] {
  return new Date(at).toLocaleString('sv-SE').slice(0, 16).split(' ')
}
