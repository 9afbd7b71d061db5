import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { registerRoutes, type Call } from '../../src/http/register.ts'
import { ResponseMemory } from '../../src/http/response-memory.ts'
import { validateWith } from '../../src/http/validate.ts'
import { currentLookupOwner } from '../../src/kit/lookup-owner.ts'

test('the name lookups of a request count for its team, whatever they are for', async () => {
  const app = Fastify()
  app.setValidatorCompiler(validateWith())
  app.setSerializerCompiler(() => JSON.stringify)
  registerRoutes(
    app,
    { listSessions: async () => ({ success: true, sessions: [], owner: currentLookupOwner() }) as never },
    {
      callOf: (request) => ({ key: { teamId: 'a' }, apiVersion: 'v2', raw: request }) as unknown as Call,
      record: () => undefined,
      responses: new ResponseMemory({ limitBytes: 1e6 }),
    },
  )

  const response = await app.inject('/v2/browser')

  expect(response.json()).toMatchObject({ owner: 'a' })
})
