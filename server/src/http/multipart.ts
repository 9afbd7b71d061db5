import { BowlineError } from 'bowline/kit/errors'

/** A part of a multipart body. */
export interface Part {
  readonly name: string
  readonly fileName: string | undefined
  readonly contentType: string | undefined
  /** Shares the memory of the body. */
  readonly bytes: Buffer
}

const maxFields = 20
const maxHeaderBytes = 16_384

/**
 * Parses a `multipart/form-data` body of at most 20 parts. Throws BAD_REQUEST if it is malformed or
 * truncated.
 */
export function parseMultipart(body: Buffer, contentType: string): readonly Part[] {
  const boundary = parameterOf(contentType, 'boundary')
  if (boundary === undefined || boundary.length > 200) throw malformed('its `Content-Type` has no `boundary`')
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter has no line break before it if it starts the body.
  const first = delimiter.subarray(2)
  let at = body.subarray(0, first.length).equals(first) ? first.length : after(body, delimiter, 0)
  const parts: Part[] = []
  for (;;) {
    if (body.subarray(at, at + 2).toString('latin1') === '--') return parts
    if (parts.length === maxFields) throw malformed(`it has more than ${maxFields} parts`)
    const start = body.indexOf('\r\n', at) + 2
    const end = body.indexOf(delimiter, start - 2)
    if (start === 1 || end === -1) throw malformed('it ends within a part')
    parts.push(toPart(body.subarray(start, end)))
    at = end + delimiter.length
  }
}

function after(body: Buffer, delimiter: Buffer, start: number): number {
  const found = body.indexOf(delimiter, start)
  if (found === -1) throw malformed('it does not contain its boundary')
  return found + delimiter.length
}

function toPart(part: Buffer): Part {
  const end = part.subarray(0, maxHeaderBytes).indexOf('\r\n\r\n')
  if (end === -1) throw malformed(`the headers of a part do not end within ${maxHeaderBytes} bytes`)
  const headers = new Map(
    part
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
  )
  const disposition = headers.get('content-disposition') ?? ''
  const name = parameterOf(disposition, 'name')
  if (name === undefined) throw malformed('a part has no name')
  return {
    name,
    fileName: extendedName(disposition) ?? parameterOf(disposition, 'filename'),
    contentType: headers.get('content-type'),
    bytes: part.subarray(end + 4),
  }
}

/** Returns a parameter of a header. Browsers write quotes as `%22`, others as `\"`. */
function parameterOf(header: string, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header) ?? []
  return quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1').replaceAll('%22', '"')
}

function extendedName(header: string): string | undefined {
  const encoded = /;\s*filename\*=utf-8''([^;\s]*)/i.exec(header)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

function malformed(why: string): BowlineError {
  return new BowlineError('BAD_REQUEST', `The multipart body is malformed: ${why}`)
}
