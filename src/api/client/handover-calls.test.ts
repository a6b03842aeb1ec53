import { describe, expect, it } from 'vitest'
import { TaskError } from '../../tasks/index.ts'
import type { CallerMessage } from '../contract.ts'
import { serve } from '../fixtures/serve.ts'
import { CALLER_MESSAGE, TASK } from '../fixtures/values.ts'
import { connect } from './client.ts'

async function stage() {
  const server = await serve()
  const stored: CallerMessage[] = []
  server.service.callerMessages = async (_, { status } = {}) =>
    status === undefined ? stored.slice(-200) : stored.filter((each) => each.status === status)
  server.service.answerCallerMessage = async (_, id, { value: answer }, { actor }) => {
    const at = stored.findIndex((each) => each.id === id && each.status === 'sent')
    if (at === -1) throw new TaskError('caller-message-answered', 'it was answered')
    const answered = { ...stored[at]!, status: 'answered' as const, answer, actor }
    stored[at] = answered
    return answered
  }
  const tell = (id: string) => {
    stored.push({ ...CALLER_MESSAGE, id, data: id })
    const params = { messageId: id, status: 'sent', name: 'price', data: id, answer: null, actor: null }
    server.log.append(JSON.stringify({ method: 'drawbridge/caller-message', params }))
  }
  const { callerMessages } = connect({ url: server.url, token: server.token })
  return { server, stored, tell, callerMessages }
}

describe('listen', () => {
  it('gives every message without an answer, also of more than one page, once and in order', async () => {
    const { tell, stored, callerMessages } = await stage()
    const ids = Array.from({ length: 230 }, (_, at) => `m${at}`)
    for (const id of ids) tell(id)
    const end = new AbortController()
    const heard: unknown[] = []
    const hear = ({ data }: CallerMessage) => {
      heard.push(data)
      if (heard.length === 230) setImmediate(() => end.abort())
      return data === 'm7' ? undefined : { got: data }
    }
    await callerMessages.listen(TASK.id, hear, { signal: end.signal })
    expect(heard).toEqual(ids)
    expect(stored.filter(({ status }) => status === 'sent').map(({ id }) => id)).toEqual(['m7'])
  })

  it('goes on when the service is away for a moment between a message and its answer', async () => {
    const { server, tell, stored, callerMessages } = await stage()
    const { answerCallerMessage } = server.service
    let attempts = 0
    server.service.answerCallerMessage = async (...given) => {
      if (++attempts === 1) throw new TaskError('unavailable', 'it is started again')
      return answerCallerMessage(...given)
    }
    tell('m')
    const end = new AbortController()
    const listening = callerMessages.listen(TASK.id, () => 1, {
      signal: end.signal,
      onReconnect: () => {},
    })
    await expect.poll(() => stored[0]!.status).toBe('answered')
    end.abort()
    await listening
    expect(attempts).toBe(2)
  })
})
