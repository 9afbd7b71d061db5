import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ maxTtl: 7200 })
})
afterAll(async () => lab[Symbol.asyncDispose]())

/** Creates a team with some credits. Returns the headers of its key. */
async function meteredTeam(name: string, credits: number): Promise<Record<string, string>> {
  await lab.api('POST', '/v2/teams', { name, credits })
  const { body } = await lab.api('POST', '/v2/team/keys', { team: name })
  return { authorization: `Bearer ${body['key']}` }
}

describe('a server with --max-ttl', () => {
  test('creates sessions up to this limit, and reserves the credits of their whole lifetime', async () => {
    const headers = await meteredTeam('metered', 240)

    const { status, body } = await lab.api('POST', '/v2/browser', { ttl: 7200 }, headers)

    expect(status).toBe(200)
    expect(Date.parse(body['expiresAt'])).toBeGreaterThan(Date.now() + 7_190_000)
    const { body: usage } = await lab.api('GET', '/v2/team/credit-usage', undefined, headers)
    expect(usage['data']).toMatchObject({ reservedCredits: 240, remainingCredits: 0 })
    await lab.api('DELETE', `/v2/browser/${body['id']}`, undefined, headers)
  })

  test('responds 400 to a longer `ttl`, and names the limit and the flag', async () => {
    const answer = await lab.api('POST', '/v2/browser', { ttl: 7201 })

    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', details: [{ path: ['ttl'] }] } })
    expect(answer.body['error']).toBe(
      '`ttl` must keep the lifetime of the session to at most 7200 s, the limit of this server (`--max-ttl`). It would be 7201 s',
    )
  })

  test('responds 400 to more than the maximum of the API, which the OpenAPI document states', async () => {
    const { body: document } = await lab.api('GET', '/openapi.json')

    expect((await lab.api('POST', '/v2/browser', { ttl: 86_401 })).body['error']).toBe('`ttl` must be at most 86400')
    expect(document['components'].schemas.CreateSessionRequest.properties.ttl).toMatchObject({
      maximum: 86_400,
      description: expect.stringContaining('--max-ttl') as string,
    })
  })
})
