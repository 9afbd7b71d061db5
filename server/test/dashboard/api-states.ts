import type { Page, Route } from 'playwright-core'

/** Responses of the API: as they are, without rows, with many rows, errors, or none. */
export type ApiState = 'typical' | 'empty' | 'full' | 'failing' | 'offline'

// More than fit on a phone. The time that axe takes grows with them.
const fullRows = 12

/** Changes the responses of the API to those of a state. */
export async function respondAs(page: Page, state: ApiState): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (state !== 'typical') await page.route('**/v2/**', async (route) => respond(route, state))
  if (state === 'offline') await page.route(/\/(?:readyz|metrics)$/, async (route) => route.abort())
}

async function respond(route: Route, state: Exclude<ApiState, 'typical'>): Promise<void> {
  const request = route.request()
  // Streams of events have no end. Frames show pages.
  if (request.method() !== 'GET' || /event-stream|html/.test(request.headers()['accept'] ?? '')) return route.continue()
  if (state === 'offline') return route.abort()
  const error = { success: false, code: 'INTERNAL', error: 'The database cannot be reached' }
  if (state === 'failing') return route.fulfill({ status: 500, json: error })
  const response = await route.fetch()
  if (!response.headers()['content-type']?.includes('json')) return route.fulfill({ response })
  const resize = state === 'empty' ? () => [] : repeatRows
  return route.fulfill({ response, json: changeArrays(await response.json(), resize) })
}

type Resize = (rows: readonly unknown[]) => readonly unknown[]

function changeArrays(value: unknown, resize: Resize): unknown {
  if (Array.isArray(value)) return resize(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changeArrays(each, resize)]))
}

function repeatRows(rows: readonly unknown[]): readonly unknown[] {
  if (typeof rows[0] !== 'object') return rows
  return Array.from({ length: fullRows }, (_, index) => withOwnId(rows[index % rows.length], index))
}

/** The row with an id of its own, if rows before it have the same. */
function withOwnId(row: unknown, index: number): unknown {
  if (typeof row !== 'object' || row === null || !('id' in row) || index === 0) return row
  return { ...row, id: `${String(row.id).slice(0, -3)}${index + 100}` }
}
