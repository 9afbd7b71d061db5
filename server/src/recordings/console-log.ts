import type { ConsoleLine } from './console-line.ts'
import type { TempFile } from './temp-file.ts'
import type { AttachedTarget } from './attach-to-targets.ts'

interface RemoteValue {
  readonly type: string
  readonly value?: unknown
  readonly unserializableValue?: string
  readonly description?: string
  readonly preview?: { readonly properties: readonly { readonly name: string; readonly value?: string }[] }
}

interface CallFrame {
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

const maxTextLength = 20_000

/** Writes console messages, exceptions and browser messages to a file as JSON lines. */
export class ConsoleLog {
  readonly #file: TempFile

  constructor(file: TempFile) {
    this.#file = file
  }

  /** Enables console events of a target. */
  async watch(target: AttachedTarget): Promise<void> {
    const entries = target.type === 'page' ? target.call('Log.enable') : undefined
    await Promise.all([target.call('Runtime.enable'), entries])
  }

  /** Handles a CDP event of a target. */
  receive(_target: AttachedTarget, method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'Runtime.consoleAPICalled') this.#write(lineOfCall(params))
    else if (method === 'Runtime.exceptionThrown') this.#write(lineOfException(params))
    else if (method === 'Log.entryAdded') this.#write(lineOfEntry(params))
  }

  async finish(): Promise<void> {
    await this.#file.close()
  }

  #write(line: ConsoleLine): void {
    this.#file.append(Buffer.from(`${JSON.stringify({ ...line, text: line.text.slice(0, maxTextLength) })}\n`))
  }
}

function lineOfCall(params: Readonly<Record<string, unknown>>): ConsoleLine {
  const { type, args, timestamp, stackTrace } = params as {
    readonly type: string
    readonly args: readonly RemoteValue[]
    readonly timestamp: number
    readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
  }
  const text = args.map(show).join(' ')
  return { time: timeOf(timestamp), source: 'console', level: type, text, ...locationOf(stackTrace?.callFrames[0]) }
}

function lineOfException(params: Readonly<Record<string, unknown>>): ConsoleLine {
  const { timestamp, exceptionDetails: details } = params as {
    readonly timestamp: number
    readonly exceptionDetails: CallFrame & { readonly text: string; readonly exception?: RemoteValue }
  }
  const text = details.exception === undefined ? details.text : show(details.exception)
  return { time: timeOf(timestamp), source: 'exception', level: 'error', text, ...locationOf(details) }
}

function lineOfEntry(params: Readonly<Record<string, unknown>>): ConsoleLine {
  const { source, level, text, timestamp, url } = params['entry'] as Readonly<Record<string, string>> & {
    readonly timestamp: number
  }
  const location = url === undefined ? {} : { url }
  return { time: timeOf(timestamp), source: source ?? 'other', level: level ?? 'info', text: text ?? '', ...location }
}

function timeOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString()
}

function locationOf(frame: CallFrame | undefined): Pick<ConsoleLine, 'url' | 'line' | 'column'> {
  return frame?.url ? { url: frame.url, line: frame.lineNumber + 1, column: frame.columnNumber + 1 } : {}
}

function show({ type, value, unserializableValue, description, preview }: RemoteValue): string {
  if (type === 'string') return String(value)
  if (preview !== undefined && description === 'Object') {
    return `{${preview.properties.map((property) => `${property.name}: ${property.value ?? '…'}`).join(', ')}}`
  }
  return unserializableValue ?? description ?? (value === undefined ? type : JSON.stringify(value))
}
