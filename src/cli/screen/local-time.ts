/** A moment on the clock of this terminal: `09:05` today, `2026-11-16 09:05` on any other day. */
export function localTime(at: number, now: number): string {
  const [day, time] = local(at)
  return day === local(now)[0] ? time! : `${day} ${time}`
}

/** With its day and its second, whatever the day: `2026-11-16 09:05:07`. */
export function localMoment(at: number): string {
  // Sweden writes times as everybody can read them.
  return new Date(at).toLocaleString('sv-SE')
}

/** The service tells the moments in its sentences as `2026-11-16 04:27 UTC`: here they are those of this terminal. */
export function inLocalTime(text: string, now: number): string {
  return text.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (_, day: string, time: string) =>
    localTime(Date.parse(`${day}T${time}Z`), now),
  )
}

function local(at: number): string[] {
  return localMoment(at).slice(0, 16).split(' ')
}
