import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSessionRequest } from 'bowline/contract/session-options'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { optionsColumn } from '../../src/sessions/session-options.ts'

let lab: Lab

beforeAll(async () => {
  lab = await startLab()
})

afterAll(async () => lab[Symbol.asyncDispose]())

const secrets = {
  proxy: { server: 'http://127.0.0.1:3128', username: 'proxy-user', password: 'proxy-hush' },
  extraHeaders: { 'https://a.test': { 'x-key': 'header-hush' } },
  webhook: { url: 'https://hooks.test/a', headers: { authorization: 'webhook-hush' }, metadata: { run: '7' } },
}

test('a session is read with its options, also after its end, without their secrets', async () => {
  const { id } = await lab.createSession({ ...secrets, ttl: 90, name: 'Export', record: { console: true } })
  const live = (await lab.api('GET', `/v2/browser/${id}`)).body
  await lab.api('DELETE', `/v2/browser/${id}`)
  const ended = (await lab.api('GET', `/v2/browser/${id}`)).body

  expect(ended['options']).toEqual(live['options'])
  expect(ended['options']).toEqual({
    ttl: 90,
    activityTtl: 300,
    streamWebView: true,
    onBrowserClose: 'disconnect',
    keepFiles: false,
    record: { har: false, console: true, video: false, keep: 'always' },
    proxy: { server: 'http://127.0.0.1:3128' },
    webhook: {
      url: 'https://hooks.test/a',
      metadata: { run: '7' },
      events: ['session.started', 'session.handoff', 'session.ended'],
    },
  })
  expect(ended['omittedOptions']).toEqual(['proxy credentials', 'extraHeaders', 'webhook.headers'])
  expect(JSON.stringify([live, ended])).not.toMatch(/hush|proxy-user/)
})

test('an admin of another team does not receive the options of a session', async () => {
  const team = (await lab.api('POST', '/v2/team/keys', { team: 'guests' })).body
  const { body } = await lab.api('POST', '/v2/browser', {}, { authorization: `Bearer ${team['key']}` })
  const read = await lab.api('GET', `/v2/browser/${body['id']}`)

  expect(read.status).toBe(200)
  expect(read.body['options']).toBeUndefined()
  await lab.api('DELETE', `/v2/browser/${body['id']}`)
})

test('a webhook is left out if the query of its URL may contain a token', () => {
  const stored = optionsColumn(createSessionRequest.parse({ webhook: 'https://hooks.test/a?token=hush' }))

  expect(JSON.parse(stored)).toMatchObject({ omittedOptions: ['webhook'] })
  expect(stored).not.toContain('hush')
})

test('every option is stored as it is, without secrets, or in a column of its own', () => {
  const everything = {
    ...secrets,
    ttl: 90,
    activityTtl: 60,
    name: 'Export',
    metadata: { customer: '4711' },
    streamWebView: false,
    profile: { name: 'shop' },
    onBrowserClose: 'delete',
    keepFiles: true,
    allowedDomains: ['a.test'],
    blockedDomains: ['b.test'],
    args: ['--font-render-hinting=none'],
    viewport: { width: 500, height: 400 },
    timezone: 'Europe/Berlin',
    headless: true,
    extensions: ['01a200b8-7181-7000-8000-000000000000'],
    locale: 'de-DE',
    userAgent: 'Test/1.0',
    geolocation: { latitude: 1, longitude: 2 },
    record: true,
  }
  expect(Object.keys(everything).toSorted()).toEqual(Object.keys(createSessionRequest.shape).toSorted())

  const { options } = JSON.parse(optionsColumn(createSessionRequest.parse(everything))) as { readonly options: object }
  const { name: _name, metadata: _metadata, extraHeaders: _extraHeaders, ...kept } = everything
  expect(Object.keys(options).toSorted()).toEqual(Object.keys(kept).toSorted())
})
