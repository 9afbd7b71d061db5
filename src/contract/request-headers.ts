import { z } from 'zod'
import { atMostEntries } from './bounded.ts'

const connectionHeaders =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|expect)$/i

function problemOf(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) return 'must be a valid header name'
  if (connectionHeaders.test(name)) return 'this header is set by the connection. Remove it'
  if (value.length > 8192) return 'must have at most 8192 characters'
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'must not contain line breaks or characters outside Latin-1'
}

/** Maximum number of headers of a request. */
const maxHeaders = 100

/** Schema of headers sent to a site. Rejects connection headers and invalid headers. */
export const requestHeaders = z
  .record(z.string(), z.string())
  .superRefine(atMostEntries(maxHeaders))
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = problemOf(name, value)
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message, input: headers })
    }
  })
