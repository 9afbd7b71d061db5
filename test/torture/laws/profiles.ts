import { setTimeout as sleep } from 'node:timers/promises'
import { connectCdp } from '../../lab/cdp-socket.ts'
import type { Fleet } from '../fleet.ts'
import type { Records } from '../load/records.ts'
import type { Body } from '../load/requests.ts'

/** Milliseconds after which the lease of a dead server has expired. */
const leaseMs = 40_000

/** Opens the last version of each profile and reads the value that its last session has saved. */
export async function checkProfiles(
  fleet: Fleet,
  { profiles, notes }: Pick<Records, 'profiles' | 'notes'>,
): Promise<readonly string[]> {
  const broken = await Promise.all([...profiles].map(async ([name, values]) => checkProfile(fleet, name, values)))
  const found = broken.flat()
  return found.length === 0 ? [] : [...found, ...notes]
}

async function checkProfile(fleet: Fleet, name: string, values: readonly string[]): Promise<readonly string[]> {
  const { id, cdpUrl, ...rest } = await openProfile(fleet, name)
  if (cdpUrl === undefined) return [`the profile ${name} cannot be opened: ${JSON.stringify(rest)}`]
  await using cdp = await connectCdp(cdpUrl)
  const { result } = await cdp.call('Storage.getCookies')
  const cookies = (result?.['cookies'] ?? []) as { name: string; value: string }[]
  const found = cookies.find((cookie) => cookie.name === 'value')?.value ?? ''
  await send(fleet, 'DELETE', `/v2/browser/${id}`)
  return values.includes(found)
    ? []
    : [`the profile ${name} has ${found || 'nothing'} instead of ${values.join(' or ')}`]
}

async function openProfile(fleet: Fleet, name: string): Promise<Body> {
  const endMs = Date.now() + leaseMs
  for (;;) {
    const opened = await send(fleet, 'POST', '/v2/browser', { ttl: 60, profile: { name } })
    if (opened['code'] !== 'PROFILE_LOCKED' || Date.now() > endMs) return opened
    await sleep(500)
  }
}

async function send({ members, apiKey }: Fleet, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(new URL(path, members[0]!.url), {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Body
}
