import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A span as a collector received it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first span of a trace. */
  readonly parentId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** Ids of the spans it links to. */
  readonly links: readonly string[]
  readonly hasFailed: boolean
  readonly startNs: bigint
  readonly endNs: bigint
  /** Attributes of the server that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

/** A collector of OpenTelemetry on loopback that receives traces over OTLP/HTTP with protobuf. */
export interface TraceCollector extends AsyncDisposable {
  readonly url: string
  /** Paths of all requests. */
  readonly paths: readonly string[]
  readonly spans: readonly ReceivedSpan[]
  /** Everything received, to search it for values that must not be sent. */
  readonly received: () => string
}

/** Starts a collector. `status` is its response to every request. */
export async function startTraceCollector({ status = 200 } = {}): Promise<TraceCollector> {
  const paths: string[] = []
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      paths.push(request.url ?? '')
      bodies.push(body)
      if (status === 200) spans.push(...readSpans(body))
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    spans,
    received: () => Buffer.concat(bodies).toString('latin1'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Fields of a protobuf message by number: varints and fixed numbers as bigint, others as bytes. */
type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>

/** Reads an `ExportTraceServiceRequest`. */
function readSpans(body: Buffer): readonly ReceivedSpan[] {
  return messages(readMessage(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1)
    const attributes = resource === undefined ? {} : attributesIn(resource, 1)
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => readSpan(span, attributes))
  })
}

function readSpan(span: Message, resource: ReceivedSpan['resource']): ReceivedSpan {
  const [status] = messages(span, 15)
  return {
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentId: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    attributes: attributesIn(span, 9),
    links: messages(span, 13).map((link) => bytes(link, 2).toString('hex')),
    hasFailed: status?.get(3)?.[0] === 2n,
    startNs: number(span, 7),
    endNs: number(span, 8),
    resource,
  }
}

function attributesIn(message: Message, field: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value] = messages(pair, 2)
      return [bytes(pair, 1).toString(), value === undefined ? undefined : readValue(value)]
    }),
  )
}

function readValue(value: Message): unknown {
  const [[field, [content]] = [0, []]] = [...value]
  return Buffer.isBuffer(content) ? content.toString() : field === 2 ? content === 1n : Number(content)
}

function bytes(message: Message, field: number): Buffer {
  const [value] = message.get(field) ?? []
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

function number(message: Message, field: number): bigint {
  const [value] = message.get(field) ?? []
  return typeof value === 'bigint' ? value : 0n
}

function messages(message: Message, field: number): readonly Message[] {
  return (message.get(field) ?? []).filter((value) => Buffer.isBuffer(value)).map(readMessage)
}

function readMessage(data: Buffer): Message {
  const fields = new Map<number, (bigint | Buffer)[]>()
  let offset = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[offset++]
      if (byte === undefined) throw new Error('The message is cut off')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => data.subarray(offset, (offset += length))
  while (offset < data.length) {
    const tag = Number(varint())
    const wireType = tag & 7
    const value =
      wireType === 0
        ? varint()
        : wireType === 1
          ? take(8).readBigUInt64LE()
          : wireType === 5
            ? BigInt(take(4).readUInt32LE())
            : take(Number(varint()))
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}
