const PORTS_TRIED = 100

/** Listens on this port or the next one that is free. */
export async function listenFrom<T>(first: number, listen: (port: number) => Promise<T>): Promise<T> {
  for (let port = first; ; port++) {
    try {
      return await listen(port)
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || port >= first + PORTS_TRIED) throw error
    }
  }
}
