import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import tlsDefaults from 'smtp-server/lib/tls-options'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noticeTo, settings, task } from '../fixtures/tasks.ts'
import { type AddressGuard, NoticeSender, type NoticeSettings } from '../index.ts'
import { mailOf, sendMail } from './email.ts'

const signal = new AbortController().signal

interface Received {
  readonly to: readonly string[]
  readonly user: unknown
  readonly isEncrypted: boolean
  readonly raw: string
}

/** A real mail server on loopback that keeps what it takes. */
async function startServer(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    ...tlsDefaults(),
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (password === 'p@ss') done(null, { user: username })
      else done(Object.assign(new Error(`wrong: ${password}`), { responseCode: 535 }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        received.push({
          to,
          user: session.user,
          isEncrypted: session.secure,
          raw: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { received, host: `127.0.0.1:${(listener.address() as AddressInfo).port}` }
}

function send(
  url: string,
  { known = {}, title = 'Fix the build' }: { known?: Partial<NoticeSettings>; title?: string } = {},
) {
  const sender = new NoticeSender(settings({ smtp: { url, from: 'bridge@example.org' }, ...known }))
  return sender.send(noticeTo('email:dev@example.org', { task: task({ title }) }), { signal })
}

describe('email', () => {
  it('arrives as plain text, with an id made of the notice', async () => {
    const { received, host } = await startServer()
    const sender = new NoticeSender(settings({ smtp: { url: `smtp://${host}`, from: 'bridge@example.org' } }))
    const notice = noticeTo('email:dev@example.org')
    expect(await sender.send(notice, { signal })).toEqual({ ok: true })
    expect(await sender.send(notice, { signal })).toEqual({ ok: true })
    const { to, raw } = received[0]!
    expect(to).toEqual(['dev@example.org'])
    expect(raw).toContain('From: Drawbridge <bridge@example.org>')
    expect(raw).toContain('Subject: Done: Fix the build')
    expect(raw).toContain('Content-Type: text/plain')
    expect(raw).toContain('Auto-Submitted: auto-generated')
    expect(raw).toContain('The build is green again.')
    expect(raw).toContain(`Message-ID: <${notice.id}@example.org>`)
    expect(received[1]!.raw).toContain(`Message-ID: <${notice.id}@example.org>`)
  })

  it('logs in with what the url says', async () => {
    const { received, host } = await startServer({ authOptional: false })
    expect(await send(`smtp://me:p%40ss@${host}`)).toEqual({ ok: true })
    expect(received[0]!.user).toBe('me')
  })

  it('gives up when the login is refused, without telling the password', async () => {
    const { host } = await startServer({ authOptional: false })
    const result = await send(`smtp://me:wr0ng-pass@${host}`)
    expect(result).toMatchObject({ ok: false, permanent: true, error: expect.stringContaining('535') })
    expect(JSON.stringify(result)).not.toContain('wr0ng-pass')
  })

  it.each([
    [451, false],
    [450, false],
    [550, true],
    [552, true],
  ])('takes %i from the server for permanent: %s', async (responseCode, permanent) => {
    const no = Object.assign(new Error('not now'), { responseCode })
    const { host } = await startServer({ onRcptTo: (_address, _session, done) => done(no) })
    expect(await send(`smtp://${host}`)).toMatchObject({
      ok: false,
      permanent,
      error: `SMTP ${responseCode} not now`,
    })
  })

  it('tries again when the server refuses the message for now', async () => {
    const busy = Object.assign(new Error('busy'), { responseCode: 452 })
    const onData: SMTPServerOptions['onData'] = (stream, _session, done) => {
      stream.resume().on('end', () => done(busy))
    }
    const { host } = await startServer({ onData })
    expect(await send(`smtp://${host}`)).toMatchObject({ permanent: false, error: 'SMTP 452 busy' })
  })

  it('cannot be given another header or recipient by a title', async () => {
    const { received, host } = await startServer()
    await send(`smtp://${host}`, { title: 'x\r\nBcc: evil@example.net\r\n\r\nbody' })
    const { to, raw } = received[0]!
    expect(to).toEqual(['dev@example.org'])
    expect(raw).not.toMatch(/^Bcc:/im)
    expect(raw).toContain('Subject: Done: x Bcc: evil@example.net body')
  })

  it('uses STARTTLS where it is offered', async () => {
    const { received, host } = await startServer({ hideSTARTTLS: false })
    expect(await send(`smtp://${host}`)).toEqual({ ok: true })
    expect(received[0]!.isEncrypted).toBe(true)
  })

  it.each([
    ['does not offer it', { hideSTARTTLS: true }],
    ['shows a certificate that nobody signed', { hideSTARTTLS: false }],
  ])('wants STARTTLS of a server that is not allowed private and %s', async (_, options) => {
    const { received, host } = await startServer(options)
    const addresses = [{ address: '127.0.0.1', family: 4 }]
    const guard = {
      checkHost: async () => ({ addresses, isAllowedPrivate: false }),
    } as unknown as AddressGuard
    const smtp = { url: `smtp://me:p%40ss@${host}`, from: 'bridge@example.org' }
    const mail = mailOf('dev@example.org', noticeTo('email:dev@example.org'), smtp)
    expect(await sendMail(mail, { smtp, guard, signal })).toMatchObject({ ok: false })
    expect(received).toEqual([])
  })

  it('checks the certificate of a server that is encrypted from the start', async () => {
    const { host, received } = await startServer({ secure: true })
    expect(await send(`smtps://${host}`)).toMatchObject({ ok: false, permanent: false })
    expect(received).toEqual([])
  })

  it('is not handed to an address that is not public', async () => {
    const { host, received } = await startServer()
    const known = { allowPrivate: [] }
    expect(await send(`smtp://${host}`, { known })).toMatchObject({
      permanent: true,
      error: expect.stringContaining('allowPrivate'),
    })
    expect(await send('smtp://2130706433', { known })).toMatchObject({ permanent: true })
    expect(await send('smtp://[::ffff:127.0.0.1]', { known })).toMatchObject({ permanent: true })
    expect(received).toEqual([])
  })

  it('tries again when nobody is there or nobody speaks', async () => {
    expect(await send('smtp://127.0.0.1:1')).toMatchObject({
      permanent: false,
      error: 'cannot reach 127.0.0.1: ECONNREFUSED',
    })
    const { host } = await startServer({ onConnect: () => undefined })
    expect(await send(`smtp://${host}`, { known: { timeoutMs: 30 } })).toMatchObject({
      permanent: false,
      error: '127.0.0.1 did not answer in time',
    })
  })

  it('gives up without a server, or with one that cannot be read', async () => {
    const none = new NoticeSender(settings())
    expect(await none.send(noticeTo('email:dev@example.org'), { signal })).toMatchObject({ permanent: true })
    expect(await send('http://mail.example')).toMatchObject({
      permanent: true,
      error: expect.stringContaining('smtps://'),
    })
  })
})
