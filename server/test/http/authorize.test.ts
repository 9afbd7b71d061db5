import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccessChecks, type Access, type AccessChecks } from '../../src/http/access-checks.ts'
import { createAuthenticator } from '../../src/http/auth.ts'
import { authorizeRequests } from '../../src/http/authorize.ts'
import { sendError } from '../../src/http/errors.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'

describe('a request to a route', () => {
  const fixture = new AsyncDisposableStack()
  let app: FastifyInstance
  beforeAll(async () => {
    const store = fixture.use(await openPgliteStore())
    const authenticator = createAuthenticator(store, () => undefined)
    const checks = createAccessChecks({ store, authenticator, metricsToken: 'token-of-the-metrics' })
    app = Fastify().setErrorHandler(sendError)
    fixture.defer(async () => app.close())
    const accessOf = authorizeRequests(app, {
      checks,
      nodeId: 'node',
      logDenial: () => undefined,
      checkRateLimit: async () => undefined,
    })
    for (const auth of Object.keys(checks) as (keyof Access)[]) {
      app.get(`/${auth}/:id/:name`, { config: { auth, fixedParams: { purpose: 'confirm' } } }, async (request) => ({
        access: accessOf(request, auth) ?? null,
      }))
    }
  })
  afterAll(async () => fixture.disposeAsync())

  test.each([
    ['none', 200],
    ['optionalKey', 200],
    ['key', 401],
    ['adminKeyOrMetricsToken', 401],
    ['controlToken', 404],
    ['keyOrControlToken', 401],
    ['keyOrRecordingToken', 401],
    ['viewerToken', 404],
    ['scrapeFileToken', 404],
    ['mailToken', 404],
  ] as const)('that declares "%s" is answered with %i without credentials', async (auth, status) => {
    expect(await app.inject(`/${auth}/some-id/some-name`)).toMatchObject({ statusCode: status })
  })

  test.each([
    'controlToken',
    'keyOrControlToken',
    'keyOrRecordingToken',
    'viewerToken',
    'scrapeFileToken',
    'mailToken',
  ])('that declares "%s" is refused with an invalid token, even in duplicate', async (auth) => {
    for (const query of ['token=wrong', 'token=wrong&token=wrong'])
      expect(await app.inject(`/${auth}/some-id/some-name?${query}`)).toMatchObject({ statusCode: 404 })
  })

  test('that declares nothing cannot be registered', () => {
    const empty = Fastify()
    authorizeRequests(empty, {
      checks: {} as AccessChecks,
      nodeId: 'node',
      logDenial: () => undefined,
      checkRateLimit: async () => undefined,
    })

    expect(() => empty.get('/undeclared', async () => 'reached')).toThrow('does not declare how its callers are')
  })
})
