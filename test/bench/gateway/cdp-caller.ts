import { once } from 'node:events'
import { connectCdp, type CdpSocket } from '../../lab/cdp-socket.ts'
import { timed } from '../samples.ts'

/** A command that is measured. */
export type Command = 'Browser.getVersion' | 'Runtime.evaluate'

/** A bare CDP client of a browser with one page. */
export interface CdpCaller extends AsyncDisposable {
  /** Milliseconds of each of `count` commands, with up to `inFlight` of them unanswered. */
  readonly roundTrips: (command: Command, count: number, inFlight: number) => Promise<readonly number[]>
  /**
   * Milliseconds until a result of that many megabytes has arrived. Parsing is excluded, since it
   * takes every side the same time.
   */
  readonly largeResult: (megabytes: number) => Promise<number>
}

/** Connects to a CDP URL and attaches to its first page. */
export async function openCaller(cdpUrl: string): Promise<CdpCaller> {
  const cdp = await connectCdp(cdpUrl)
  const session = await cdp.attachToPage()
  // From here on only responses are expected. They are not parsed.
  cdp.socket.removeAllListeners('message')
  const messageOf = (command: Command, id: number): string =>
    command === 'Browser.getVersion'
      ? `{"id":${id},"method":"Browser.getVersion"}`
      : `{"id":${id},"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"${session}"}`
  return {
    roundTrips: async (command, count, inFlight) =>
      measure(cdp, (id) => messageOf(command, id), count, Math.min(inFlight, count)),
    largeResult: async (megabytes) =>
      timed(async () => {
        const answered = once(cdp.socket, 'message')
        const params = { expression: `"0123456789".repeat(${megabytes * 1e5})` }
        cdp.socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params, sessionId: session }))
        await answered
      }),
    [Symbol.asyncDispose]: async () => cdp[Symbol.asyncDispose](),
  }
}

async function measure(
  { socket }: CdpSocket,
  messageOf: (id: number) => string,
  count: number,
  inFlight: number,
): Promise<readonly number[]> {
  const sentMs = new Float64Array(count + 1)
  const samples: number[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let last = 0
  const send = (): void => {
    last += 1
    sentMs[last] = performance.now()
    socket.send(messageOf(last))
  }
  const receive = (data: Buffer): void => {
    const id = Number.parseInt(data.toString('latin1', '{"id":'.length, 20), 10)
    samples.push(performance.now() - (sentMs[id] ?? Number.NaN))
    if (samples.length === count) resolve()
    else if (last < count) send()
  }
  socket.on('message', receive)
  for (let index = 0; index < inFlight; index += 1) send()
  await done
  socket.off('message', receive)
  return samples
}
