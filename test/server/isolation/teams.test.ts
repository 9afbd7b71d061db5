import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes, type Route } from '../../../src/contract/routes.ts'
import { teamRoutes } from '../../../src/contract/team-routes.ts'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { refusedUpgrade } from '../../lab/cdp-socket.ts'
import { startLab, type Lab } from '../../lab/lab.ts'

const cookieSecret = 'cookie-of-the-first-team'
const fileContent = 'file-of-the-first-team'
const profile = 'profile-of-the-first-team'
const file = 'name-of-the-first-team.txt'

const cookie = {
  name: 'login',
  value: cookieSecret,
  domain: 'example.com',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: true,
  sameSite: 'Lax',
}

let lab: Lab
let session: CreateSessionResponse
let keyId: string
let ownKey: string
let second: Readonly<Record<string, string>>

beforeAll(async () => {
  lab = await startLab()
  const keyOf = async (team: string): Promise<{ key: string; id: string }> => {
    const { body } = await lab.api('POST', '/v2/team/keys', { team })
    return { key: body['key'], id: body['data'].id }
  }
  const first = await keyOf('first')
  const own = { authorization: `Bearer ${first.key}` }
  ownKey = first.key
  keyId = first.id
  second = { authorization: `Bearer ${(await keyOf('second')).key}` }
  await lab.api('PUT', `/v2/browser/profiles/${profile}/storage-state`, { cookies: [cookie] }, own)
  session = (await lab.api('POST', '/v2/browser', { profile: { name: profile } }, own)).body as CreateSessionResponse
  await fetch(new URL(`/v2/browser/${session.id}/files?name=${file}`, lab.server.url), {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/octet-stream' },
    body: fileContent,
  })
})
afterAll(async () => lab[Symbol.asyncDispose]())

const tokens = (): readonly string[] =>
  [session.cdpUrl, session.liveViewUrl, session.interactiveLiveViewUrl].map(
    (url) => new URL(url ?? '').searchParams.get('token') ?? '',
  )

/** The path with what belongs to the first team in it. */
const fill = (path: string): string =>
  path
    .replace('/keys/{id}', `/keys/${keyId}`)
    .replace('/teams/{id}', '/teams/first')
    .replace('{id}', session.id)
    .replace('{checkId}', session.id)
    .replace('/files/{name}', `/files/${file}`)
    .replace('{name}', profile)
    .replace('{version}', '1')

const paths = Object.entries(routes).flatMap(([name, route]: [string, Route]) =>
  [route.path, ...(route.aliases ?? [])].map((path) => ({ name, method: route.method, path })),
)

/** What a route is sent beside its path. */
const bodyOf = (name: string): unknown => {
  if (name === 'deleteSessionByBody') return { id: session.id }
  if (name === 'importStorageState') return { cookies: [] }
  if (name === 'updateMonitor') return { name: 'taken over' }
  if (name === 'createTeam') return { name: 'third' }
  if (name === 'updateTeam') return { credits: 0 }
  return name === 'createSession' || name === 'createKey' || name === 'rollBackProfile' ? {} : undefined
}

/** Routes that name nothing of anybody, or make something of the caller's own. */
const ownRoutes = new Set([
  ...Object.keys(teamRoutes).filter((name) => name !== 'createTeam' && name !== 'updateTeam'),
  'createSession',
  'listSessions',
  'listProfiles',
  'listKeys',
  'importStorageState',
  'listActiveCrawls',
  'listDeliveries',
  'listMonitors',
])

/** Routes that take the address of a web page and nothing of anybody's: without one they refuse. */
const pageRoutes = new Set([
  'scrape',
  'earlierScrape',
  'startBatch',
  'startEarlierBatch',
  'startCrawl',
  'startEarlierCrawl',
  'previewCrawl',
  'map',
  'mapV1',
  'startExtract',
  'startExtractV1',
  'search',
  'searchV1',
  'createMonitor',
])

describe('with the key of another team', () => {
  test.each(paths)('$method $path ($name) gives nothing away', async ({ name, method, path }) => {
    const query = name === 'uploadFile' ? '?name=planted.txt' : ''

    const { status, body, headers } = await lab.api(method, `${fill(path)}${query}`, bodyOf(name), second)

    const said = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`
    if (ownRoutes.has(name)) expect(status).toBe(200)
    else if (pageRoutes.has(name)) expect(status).toBe(400)
    else expect([403, 404]).toContain(status)
    const secrets = [cookieSecret, fileContent, 'first', ...tokens(), ownKey]
    expect(secrets.filter((secret) => said.replaceAll(profile, '').replaceAll(file, '').includes(secret))).toEqual([])
    if (ownRoutes.has(name)) expect(said).not.toContain(session.id)
  })

  test('nothing of the first team was changed', async () => {
    const own = { authorization: `Bearer ${ownKey}` }

    const [read, files, kept] = [
      await lab.api('GET', `/v2/browser/${session.id}`, undefined, own),
      await lab.api('GET', `/v2/browser/${session.id}/files`, undefined, own),
      await lab.api('GET', `/v2/browser/profiles/${profile}`, undefined, own),
    ]

    expect(read.body).toMatchObject({ status: 'active' })
    expect(files.body['files'].map((each: { name: string }) => each.name)).toEqual([file])
    expect(kept.body['data']).toMatchObject({ name: profile, version: 1 })
  })

  test('the token of an own session opens neither the files nor the browser of a foreign one', async () => {
    const { body } = await lab.api('POST', '/v2/browser', {}, second)
    const token = new URL(body['cdpUrl']).searchParams.get('token') ?? ''

    const files = await lab.api('GET', `/v2/browser/${session.id}/files?token=${token}`, undefined, {})
    const upgrade = await refusedUpgrade(session.cdpUrl.replace(/token=.*/, `token=${token}`))
    const view = await lab.api('GET', `/live/${session.id}?token=${token}`, undefined, {})

    expect([401, 403, 404]).toContain(files.status)
    expect(upgrade.status).toBe(403)
    expect(view.status).toBe(403)
  })

  test('the tokens of the live view do not open files', async () => {
    const [, view, interact] = tokens()

    for (const token of [view, interact]) {
      const { status } = await lab.api('GET', `/v2/browser/${session.id}/files?token=${token}`, undefined, {})
      expect([401, 403]).toContain(status)
    }
  })
})
