import { z } from 'zod'
import { atMostEntries } from './bounded.ts'

const ofConnection =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|expect)$/i

function problemOf(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) return 'it is no header name'
  if (ofConnection.test(name)) return 'this header belongs to the connection, so leave it out'
  if (value.length > 8192) return 'a header value may have 8192 characters'
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it is no header value: it has a line break or characters beyond Latin-1'
}

/** Most headers of one request. */
const maxHeaders = 100

/** Headers that callers want to be sent to a site. Those of the connection, and what is no header, are refused. */
export const requestHeaders = z
  .record(z.string(), z.string())
  .superRefine(atMostEntries(maxHeaders))
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = problemOf(name, value)
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message, input: headers })
    }
  })
