import { isoTime } from '../kit/iso-time.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { ConsoleLine } from './console-line.ts'
import type { CdpEvent, Protocol } from './protocol.ts'

/**
 * Reads a console message, an uncaught exception or a message of the browser. `undefined` for other
 * events.
 */
export function readConsoleLine({ method, params }: CdpEvent): ConsoleLine | undefined {
  if (method === 'Runtime.consoleAPICalled') return lineOfCall(params)
  if (method === 'Runtime.exceptionThrown') return lineOfException(params)
  if (method === 'Log.entryAdded') return lineOfEntry(params.entry)
  return undefined
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
