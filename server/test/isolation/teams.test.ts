import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressesOf } from '../../../src/contract/fill-path.ts'
import { routes, type Route } from '../../../src/contract/routes.ts'
import { teamRoutes } from '../../../src/contract/team-routes.ts'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { uploadExtension } from '../../../test/lab/upload-extension.ts'
import { zipExtension } from '../../../test/lab/zip.ts'

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
let ids: Readonly<Record<string, string>>
let ownKey: string
let second: Readonly<Record<string, string>>

beforeAll(async () => {
  // Agents of this model fail, and can be read for a day.
  lab = await startLab({ llmUrl: 'http://127.0.0.1:9/v1' })
  const keyOf = async (team: string): Promise<{ key: string; id: string }> => {
    const { body } = await lab.api('POST', '/v2/team/keys', { team })
    return { key: body['key'], id: body['data'].id }
  }
  const first = await keyOf('first')
  const own = { authorization: `Bearer ${first.key}` }
  ownKey = first.key
  second = { authorization: `Bearer ${(await keyOf('second')).key}` }
  await lab.api('PUT', `/v2/browser/profiles/${profile}/storage-state`, { cookies: [cookie] }, own)
  session = (await lab.api('POST', '/v2/browser', { profile: { name: profile } }, own)).body as CreateSessionResponse
  const start = async (path: string, body: object): Promise<string> => {
    const { body: answer } = await lab.api('POST', path, body, own)
    return answer['id'] ?? answer['handoff']?.id ?? answer['data']?.id ?? answer['data'].metadata.scrapeId
  }
  const url = 'https://a.invalid/'
  await using site = await startSite({ '/': ({ response }) => void response.end('A page') })
  const monitor = await start('/v2/monitor', {
    name: 'watch',
    schedule: { cron: '0 * * * *' },
    targets: [{ type: 'scrape', urls: [url] }],
  })
  const batch = await start('/v2/batch/scrape', { urls: [url], webhook: url })
  ids = {
    'team/keys': first.id,
    'team/jobs': batch,
    'batch/scrape': batch,
    crawl: await start('/v2/crawl', { url }),
    extract: await start('/v2/extract', { urls: [url], prompt: 'Look' }),
    handoff: await start(`/v2/browser/${session.id}/handoff`, { instructions: 'Sign in' }),
    agent: await start('/v2/agent', { prompt: 'Look' }),
    scrape: await start('/v2/scrape', { url: site.url('/') }),
    monitor,
    checks: await start(`/v2/monitor/${monitor}/run`, {}),
    deliveries: await deliveryOf(own),
    secrets: profile,
    extensions: (await uploadExtension(lab, zipExtension({ name: 'first' }), first.key)).id,
  }
  await lab.api('PUT', `/v2/secrets/${profile}`, { value: cookieSecret, origins: ['https://first.example'] }, own)
  await fetch(new URL(`/v2/browser/${session.id}/files?name=${file}`, lab.server.url), {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/octet-stream' },
    body: fileContent,
  })
})
afterAll(async () => lab[Symbol.asyncDispose]())

function tokens(): readonly string[] {
  return [session.cdpUrl, session.liveViewUrl, session.interactiveLiveViewUrl].map(
    (url) => new URL(url ?? '').searchParams.get('token') ?? '',
  )
}

/** The id of a delivery to a webhook of the team. */
async function deliveryOf(headers: Readonly<Record<string, string>>): Promise<string> {
  return vi.waitUntil(async () => {
    const { body } = await lab.api('GET', '/v2/team/webhooks/deliveries', undefined, headers)
    return body['data'][0]?.id as string | undefined
  })
}

/** The path with names and ids of the first team. */
function fill(path: string): string {
  const known = Object.entries(ids).reduce((text, [folder, id]) => text.replace(idIn(folder), `/${folder}/${id}`), path)
  return fillNames(known).replaceAll(/\{(?:id|checkId)\}/g, session.id)
}

function idIn(folder: string): RegExp {
  return new RegExp(`/${folder}/\\{\\w+\\}`)
}

/** The path with the same names, and with ids that do not exist. */
function fillUnknown(path: string): string {
  return fillNames(path).replaceAll(/\{(?:id|checkId)\}/g, unknownId)
}

const unknownId = '0198c0de-0000-7000-8000-000000000000'

function fillNames(path: string): string {
  return path
    .replace('/teams/{id}', '/teams/first')
    .replace('/files/{name}', `/files/${file}`)
    .replace('{name}', profile)
    .replace('{version}', '1')
    .replace('{snapshotId}', 'call')
}

const paths = Object.entries(routes).flatMap(([name, route]: [string, Route]) =>
  addressesOf(route).map(({ path }) => ({ name, method: route.method, path })),
)

/** Returns the body for a route. */
function bodyOf(name: string, id = session.id): unknown {
  if (name === 'deleteSessionByBody') return { id }
  if (name === 'importStorageState') return { cookies: [] }
  if (name === 'updateMonitor' || name === 'updateSession') return { name: 'taken over' }
  if (name === 'execute' || name === 'interact') return { code: '1' }
  if (name === 'startHandoff') return { instructions: 'Help' }
  if (name === 'createTeam') return { name: 'third' }
  if (name === 'updateTeam') return { credits: 0 }
  return name === 'createSession' || name === 'createKey' || name === 'rollBackProfile' ? {} : undefined
}

/** Routes that refer to no resource, or create one for the caller. */
const ownRoutes = new Set([
  ...Object.keys(teamRoutes).filter(
    (name) => !['createTeam', 'updateTeam', 'auditLog', 'healthHistory', 'getJob'].includes(name),
  ),
  'createSession',
  'listSessions',
  'listProfiles',
  'listExtensions',
  'listSecrets',
  'listKeys',
  'importStorageState',
  'listActiveCrawls',
  'listDeliveries',
  'listMonitors',
  'listParseFormats',
])

/**
 * Routes that accept a file, a value or the URL of a page and refer to no other resource. Without
 * it they fail.
 */
const pageRoutes = new Set([
  'uploadExtension',
  'setSecret',
  'createParseUpload',
  'parse',
  'scrape',
  'v1Scrape',
  'startBatch',
  'startV1Batch',
  'startCrawl',
  'startV1Crawl',
  'previewCrawl',
  'map',
  'mapV1',
  'startAgent',
  'startExtract',
  'startExtractV1',
  'search',
  'searchV1',
  'createMonitor',
])

/**
 * Routes for which the API defines 403 for a resource of another team, and `updateSession`, which
 * has the path of two of them. All others respond as for an unknown id.
 */
const definedAs403 = new Set([
  'getSession',
  'updateSession',
  'deleteSession',
  'deleteSessionByBody',
  'getScrape',
  'interact',
  'stopInteraction',
])

/** Routes that always require an admin key. */
const adminRoutes = new Set([
  'createKey',
  'revokeKey',
  'createTeam',
  'updateTeam',
  'auditLog',
  'healthHistory',
  'makeWebhookSecret',
  'deleteWebhookSecret',
])

/** A response without the ids in its text and without its request id. */
function withoutIds(body: Answer['body']): unknown {
  return {
    ...body,
    error: String(body['error']).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
    requestId: '',
  }
}

describe('with the key of another team', () => {
  test.each(paths)('$method $path ($name) reveals nothing', async ({ name, method, path }) => {
    const query = name === 'uploadFile' ? '?name=planted.txt' : ''

    const { status, body, headers } = await lab.api(method, `${fill(path)}${query}`, bodyOf(name), second)

    const said = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`
    if (ownRoutes.has(name)) expect(status).toBe(200)
    else if (pageRoutes.has(name)) expect(status).toBe(400)
    else if (definedAs403.has(name)) {
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: 'Forbidden.' } })
    } else {
      const unknown = await lab.api(method, `${fillUnknown(path)}${query}`, bodyOf(name, unknownId), second)
      expect({ name, status }).toEqual({ name, status: adminRoutes.has(name) ? 403 : 404 })
      expect(unknown.status).toBe(status)
      expect(withoutIds(body)).toEqual(withoutIds(unknown.body))
    }
    const secrets = [cookieSecret, fileContent, 'first', ...tokens(), ownKey]
    expect(secrets.filter((secret) => said.replaceAll(profile, '').replaceAll(file, '').includes(secret))).toEqual([])
    if (ownRoutes.has(name)) expect(said).not.toContain(session.id)
  })

  test('no resource of the first team is changed', async () => {
    const own = { authorization: `Bearer ${ownKey}` }

    const [read, files, kept] = [
      await lab.api('GET', `/v2/browser/${session.id}`, undefined, own),
      await lab.api('GET', `/v2/browser/${session.id}/files`, undefined, own),
      await lab.api('GET', `/v2/browser/profiles/${profile}`, undefined, own),
    ]

    expect(read.body).toMatchObject({ status: 'active' })
    expect(read.body).not.toHaveProperty('name')
    expect(files.body['files'].map((each: { name: string }) => each.name)).toEqual([file])
    expect(kept.body['data']).toMatchObject({ name: profile, version: 1 })
  })

  test('the token of one session opens neither the files nor the browser of another', async () => {
    const { body } = await lab.api('POST', '/v2/browser', {}, second)
    const token = new URL(body['cdpUrl']).searchParams.get('token') ?? ''

    const files = await lab.api('GET', `/v2/browser/${session.id}/files?token=${token}`, undefined, {})
    const upgrade = await refusedUpgrade(session.cdpUrl.replace(/token=.*/, `token=${token}`))
    const view = await lab.api('GET', `/live/${session.id}?token=${token}`, undefined, {})

    expect(files.status).toBe(404)
    expect(upgrade.status).toBe(404)
    expect(view.status).toBe(404)
  })

  test('the tokens of the live view do not open files', async () => {
    const [, view, interact] = tokens()

    for (const token of [view, interact]) {
      const { status } = await lab.api('GET', `/v2/browser/${session.id}/files?token=${token}`, undefined, {})
      expect([401, 403]).toContain(status)
    }
  })
})
