// Between a client and the service: an HTTP proxy that can swallow an answer after the service has given it.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'

interface Stage {
  readonly dataDir: string
  record(): { readonly url: string }
}

export interface AnswerCutter {
  /** The next answer to such a path never arrives: its connection breaks. */
  cut(pattern: RegExp): void
  /** What came through, such as `POST /v1/tasks/x/resume`. */
  readonly seen: readonly string[]
}

/** Programs that look for the service find the proxy from now on. */
export async function answerCutter({ dataDir, record }: Stage): Promise<AnswerCutter> {
  const target = new URL(record().url)
  const seen: string[] = []
  let cut: RegExp | null = null
  const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const { method, url = '', headers } = asked
    seen.push(`${method} ${url}`)
    const forwarded = request(new URL(url, target), { method, headers }, (reply) => {
      if (!cut?.test(url)) {
        answer.writeHead(reply.statusCode!, reply.headers)
        return reply.pipe(answer)
      }
      cut = null
      return reply.resume().on('end', () => asked.socket.destroy())
    })
    forwarded.on('error', () => asked.socket.destroy())
    asked.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const file = path.join(dataDir, 'service.json')
  const before = readFileSync(file, 'utf8')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(file, JSON.stringify({ ...JSON.parse(before), url }))
  onTestFinished(() => {
    writeFileSync(file, before)
    server.closeAllConnections()
    server.close()
  })
  return {
    seen,
    cut: (pattern) => {
      cut = pattern
    },
  }
}
