import { z } from 'zod'
import type { CreateSessionRequest } from 'bowline/contract/session-options'
import type { JsonText } from '../store/tables/columns.ts'
import { isUnreadable, json, JsonTable, type OnUnreadable } from '../store/tables/json-table.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

const storedOptions = z.object({
  options: z.record(z.string(), z.unknown()),
  omittedOptions: z.array(z.string()),
})

/** The options of a session without their secrets. */
export type StoredOptions = z.output<typeof storedOptions>

const sessions = new JsonTable('session', { options: json(storedOptions) })

/** Options that contain no secrets. Those that are not listed here are never stored. */
const plainOptions = [
  'ttl',
  'activityTtl',
  'streamWebView',
  'profile',
  'onBrowserClose',
  'keepFiles',
  'allowedDomains',
  'blockedDomains',
  'args',
  'viewport',
  'timezone',
  'headless',
  'extensions',
  'locale',
  'userAgent',
  'geolocation',
  'record',
] as const satisfies readonly (keyof CreateSessionRequest)[]

/**
 * Serializes the options of a session for its row, without secrets: credentials of the proxy,
 * `extraHeaders`, and the headers of the webhook, or all of it if its URL has a query, which can
 * contain a token. The name and the metadata have columns.
 */
export function optionsColumn(request: CreateSessionRequest): JsonText {
  const { proxy, webhook, extraHeaders } = request
  const plain = plainOptions.map((name) => [name, request[name]] as const).filter(([, value]) => value !== undefined)
  const options: Record<string, unknown> = Object.fromEntries(plain)
  const omittedOptions: string[] = []
  if (proxy !== undefined) {
    options['proxy'] = { server: proxy.server }
    if (proxy.username !== undefined || proxy.password !== undefined) omittedOptions.push('proxy credentials')
  }
  if (extraHeaders !== undefined) omittedOptions.push('extraHeaders')
  if (webhook !== undefined && URL.parse(webhook.url)?.search !== '') omittedOptions.push('webhook')
  else if (webhook !== undefined) {
    const { headers, ...rest } = webhook
    options['webhook'] = rest
    if (Object.keys(headers).length > 0) omittedOptions.push('webhook.headers')
  }
  return sessions.serialize('options', { options, omittedOptions })
}

/**
 * Reads the options of a session. `undefined` if they were not stored, as in earlier versions, or
 * cannot be read.
 */
export function readOptions(
  row: Pick<SessionRow, 'id' | 'options'>,
  onUnreadable: OnUnreadable,
): StoredOptions | undefined {
  if (row.options === undefined) return undefined
  try {
    return sessions.parse('options', row.options, row)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    onUnreadable(error)
    return undefined
  }
}
