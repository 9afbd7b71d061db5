import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A received email. */
export interface Mail {
  readonly to: string
  /** The message without soft line breaks. */
  readonly source: string
}

/** A mail server. */
export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly mails: readonly Mail[]
}

/** How a mail server deviates from one that accepts all emails. */
export interface MailServerOptions {
  /** Whether the n-th email (from 1) is refused temporarily. Default: none. */
  readonly refuses?: (count: number) => boolean
  /** Whether emails to this address never get a response. Default: none. */
  readonly isSilentFor?: (address: string) => boolean
}

/** Starts a mail server on a free port of 127.0.0.1. */
export async function startMailServer({
  refuses = () => false,
  isSilentFor = () => false,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = []
  let asked = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 0,
    onRcptTo: ({ address }, _session, done) => {
      if (isSilentFor(address)) return
      asked += 1
      done(refuses(asked) ? Object.assign(new Error('Try later'), { responseCode: 451 }) : null)
    },
    onData: (stream, session, done) => {
      void text(stream).then((source) => {
        const to = session.envelope.rcptTo[0]?.address ?? ''
        mails.push({ to, source: source.replaceAll('=\r\n', '').replaceAll('=3D', '=') })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: async () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
