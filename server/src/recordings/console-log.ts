import { withoutCredentials } from '../kit/without-credentials.ts'
import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import type { AttachedTarget } from '../cdp/targets.ts'
import type { ConsoleLine } from './console-line.ts'
import { isoTime } from './iso-time.ts'
import type { TextMask } from './network-log.ts'
import type { TempFile } from './temp-file.ts'

const maxTextLength = 20_000

/** Writes console messages, exceptions and browser messages to a file as JSON lines. */
export class ConsoleLog {
  readonly #file: TempFile
  readonly #mask: TextMask

  constructor(file: TempFile, mask: TextMask) {
    this.#file = file
    this.#mask = mask
  }

  /** Enables console events of a target. */
  async watch(target: AttachedTarget): Promise<void> {
    const entries = target.type === 'page' ? target.call('Log.enable') : undefined
    await Promise.all([target.call('Runtime.enable'), entries])
  }

  /** Handles a CDP event of a target. */
  receive({ method, params }: CdpEvent): void {
    if (method === 'Runtime.consoleAPICalled') this.#write(lineOfCall(params))
    else if (method === 'Runtime.exceptionThrown') this.#write(lineOfException(params))
    else if (method === 'Log.entryAdded') this.#write(lineOfEntry(params.entry))
  }

  async finish(): Promise<void> {
    await this.#file.close()
  }

  #write(line: ConsoleLine): void {
    const masked = this.#mask.applyToJson(line)
    this.#file.append(Buffer.from(`${JSON.stringify({ ...masked, text: masked.text.slice(0, maxTextLength) })}\n`))
  }
}

function lineOfCall({ type, args, timestamp, stackTrace }: Protocol.Runtime.ConsoleAPICalledEvent): ConsoleLine {
  const text = args.map(show).join(' ')
  return { time: isoTime(timestamp), source: 'console', level: type, text, ...locationOf(stackTrace?.callFrames[0]) }
}

function lineOfException({ timestamp, exceptionDetails }: Protocol.Runtime.ExceptionThrownEvent): ConsoleLine {
  const { exception, text } = exceptionDetails
  return {
    time: isoTime(timestamp),
    source: 'exception',
    level: 'error',
    text: exception === undefined ? text : show(exception),
    ...locationOf(exceptionDetails),
  }
}

function lineOfEntry({ source, level, text, timestamp, url }: Protocol.Log.LogEntry): ConsoleLine {
  return {
    time: isoTime(timestamp),
    source,
    level,
    text,
    ...(url === undefined ? {} : { url: withoutCredentials(url) }),
  }
}

function locationOf(frame: Position | undefined): Pick<ConsoleLine, 'url' | 'line' | 'column'> {
  return frame?.url
    ? { url: withoutCredentials(frame.url), line: frame.lineNumber + 1, column: frame.columnNumber + 1 }
    : {}
}

/** Position in a script, counted from 0. */
interface Position {
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
}

function show({ type, value, unserializableValue, description, preview }: Protocol.Runtime.RemoteObject): string {
  if (type === 'string') return String(value)
  if (preview !== undefined && description === 'Object') {
    return `{${preview.properties.map((property) => `${property.name}: ${property.value ?? '…'}`).join(', ')}}`
  }
  return unserializableValue ?? description ?? (value === undefined ? type : JSON.stringify(value))
}
