import { expect, test } from 'vitest'
import { createCall } from '../../src/client/call.ts'
import { resolveConfig } from '../../src/client/config.ts'
import { deleteSession } from '../../src/client/deletion.ts'
import { Bowline } from '../../src/index.ts'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'

const bill = { sessionDurationMs: 900, creditsBilled: 7 }
const gone = { success: false, error: 'Browser session not found.' }

/**
 * Responds to the requests of one method in turn, then always with the last response. `undefined`
 * passes a request on to the service.
 */
function inTurn(method: string, ...answers: readonly (readonly [number, object?] | undefined)[]): Answer {
  let count = 0
  return (request, response) => {
    if (request.method !== method) return false
    const answer = answers[Math.min(count, answers.length - 1)]
    count += 1
    if (answer === undefined) return false
    const [status, body] = answer
    if (body === undefined) response.writeHead(status).end()
    return body === undefined || sendJson(response, status, body)
  }
}

const conflictFirst = inTurn(
  'DELETE',
  [409, { success: false, error: 'A profile is being saved' }],
  [200, { success: true, ...bill }],
)

function either(...answers: readonly Answer[]): Answer {
  return (request, response) => answers.some((answer) => answer(request, response))
}

/**
 * A service with an older API: it deletes sessions by the id in the body and lacks the route with
 * the id.
 */
function bodyForm(refusal: Answer): Answer {
  return (request, response) => {
    if (request.method !== 'DELETE' || request.path === '/v2/browser') {
      return (
        request.method === 'DELETE' && sendJson(response, 200, { success: true, ...JSON.parse(request.body), ...bill })
      )
    }
    return refusal(request, response)
  }
}

function state(status: string, figures: object = {}) {
  return [200, { success: true, id: 'session-1', status, ...figures }] as const
}

test.each<readonly [string, Answer]>([
  [
    'stops in the background and returns the bill when the session is read',
    either(
      inTurn('DELETE', [200, { success: true, status: 'stopping', cleanupQueued: true }]),
      inTurn('GET', state('stopping'), state('stopped', bill)),
    ),
  ],
  [
    'stops in the background and returns the bill to a second deletion',
    either(
      inTurn(
        'DELETE',
        [202, { success: true, status: 'stopping' }],
        [200, { success: true, status: 'stopped', ...bill }],
      ),
      inTurn('GET', [404, gone]),
    ),
  ],
  [
    'omits the bill when the session is read, but returns it to a second deletion',
    either(
      inTurn('DELETE', [202], [200, { success: true, ...bill }]),
      inTurn('GET', state('stopping'), state('failed')),
    ),
  ],
  ['confirms with 204 and no body', either(inTurn('DELETE', [204]), inTurn('GET', state('stopped', bill)))],
  [
    'accepts with a body of another shape',
    either(inTurn('DELETE', [202, { status: 'stopping' }]), inTurn('GET', state('stopped', bill))),
  ],
  [
    'first responds 409',
    inTurn('DELETE', [409, { success: false, error: 'The session is starting' }], [200, { success: true, ...bill }]),
  ],
  ['first responds 500', inTurn('DELETE', [500, { success: false, error: 'oops' }], [200, { success: true, ...bill }])],
  [
    'accepts with 202 and no body, and stops the session in the background',
    either(inTurn('DELETE', [202], [202], [200, { success: true, ...bill }]), inTurn('GET', [404, gone])),
  ],
  [
    'deletes the session but responds 500, and then no longer finds it',
    either(
      inTurn('DELETE', [500, { success: false, error: 'oops' }], [404, gone]),
      inTurn('GET', state('destroyed', bill)),
    ),
  ],
  [
    'sends null for the figures until they are known',
    either(
      inTurn('DELETE', [204]),
      inTurn('GET', state('active', { sessionDurationMs: null, creditsBilled: null }), state('stopped', bill)),
    ),
  ],
  [
    'sends figures as strings',
    inTurn('DELETE', [200, { success: true, sessionDurationMs: '900', creditsBilled: '7' }]),
  ],
  [
    'writes its own statuses in upper case',
    either(
      inTurn('DELETE', [200, { success: true, status: 'DELETING' }]),
      inTurn('GET', state('TERMINATING'), state('COMPLETED', bill)),
    ),
  ],
  [
    'confirms with 204, is still stopping, and then is unavailable for longer and longer',
    either(
      inTurn('DELETE', [204]),
      inTurn(
        'GET',
        ...Array.from({ length: 3 }, () => state('stopping')),
        [503, gone],
        [503, gone],
        state('stopped', bill),
      ),
    ),
  ],
  [
    'no longer finds the session to delete, and is unavailable when it is first read',
    either(inTurn('DELETE', [500, gone], [404, gone]), inTurn('GET', [503, gone], [503, gone], state('stopped', bill))),
  ],
  [
    'first responds 520, as a proxy that does not understand the service',
    inTurn('DELETE', [520, gone], [200, { success: true, ...bill }]),
  ],
  ['first responds 423', inTurn('DELETE', [423, gone], [200, { success: true, ...bill }])],
  [
    'confirms with 204, and is unavailable when the session is first read',
    either(inTurn('DELETE', [204]), inTurn('GET', [503, gone], state('stopped', bill))),
  ],
  [
    'deletes the session with a response that is no object',
    either(inTurn('DELETE', [200, []]), inTurn('GET', state('stopped', bill))),
  ],
  ['accepts the id only in the body and responds 400 to the path', bodyForm(inTurn('DELETE', [400, gone]))],
  ['accepts the id only in the body and responds 404 to the path', bodyForm(inTurn('DELETE', [404, gone]))],
  [
    'accepts the id only in the body and first responds 409',
    (request, response) =>
      request.path === '/v2/browser' ? conflictFirst(request, response) : inTurn('DELETE', [405])(request, response),
  ],
  ['accepts the id only in the body and responds 405 to the path', bodyForm(inTurn('DELETE', [405]))],
])('withSession ends with the bill of a service that %s', async (_, answer) => {
  await using service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  const outcome = await bowline.withSession({}, () => 'done')

  expect(outcome).toMatchObject({ result: 'done', ...bill })
})

test.concurrent('deleting a session rejects if the service accepts each deletion with 202 and never tells its state', async ({
  expect,
}) => {
  await using service = await startForeignService(either(inTurn('DELETE', [202]), inTurn('GET', [500, gone])))
  const call = createCall(resolveConfig({ baseUrl: service.url, apiKey: service.apiKey }))

  await expect(deleteSession(call, 'session-1', { settleMs: 4000 })).rejects.toThrow('Session session-1 is still')
})

test.concurrent('withSession ends without a bill if the service accepts each deletion with 202 and no longer finds the session', async ({
  expect,
}) => {
  await using service = await startForeignService(either(inTurn('DELETE', [202]), inTurn('GET', [404, gone])))
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  const outcome = await bowline.withSession({}, () => 'done')

  expect(outcome).toMatchObject({ result: 'done', creditsBilled: undefined })
  expect(service.requests.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(2)
})

test.concurrent('withSession rejects if only a proxy does not find the session to delete, and its state is unknown', async ({
  expect,
}) => {
  const throughProxy: Answer = ({ method, path }, response) => {
    if (method !== 'DELETE' || path === '/v2/browser') return false
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
    return true
  }
  await using service = await startForeignService(either(throughProxy, inTurn('GET', [503, gone])))
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  await expect(bowline.withSession({}, () => 'done')).rejects.toMatchObject({ code: 'DELETE_FAILED' })
})

test('withSession rejects if the service does not find the session to delete but still reports it as active', async () => {
  await using service = await startForeignService(either(inTurn('DELETE', [404, gone]), inTurn('GET', state('active'))))
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  await expect(bowline.withSession({}, () => 'done')).rejects.toMatchObject({ code: 'DELETE_FAILED' })
})

test.each<readonly [string, Answer, string]>([
  [
    'never stops the session',
    either(inTurn('DELETE', [202, { success: true, status: 'stopping' }]), inTurn('GET', state('stopping'))),
    'Session session-1 is still stopping after the service accepted its deletion',
  ],
  [
    'always responds 409',
    either(
      inTurn('DELETE', [409, { success: false, error: 'A profile is being saved' }]),
      inTurn('GET', state('running')),
    ),
    'A profile is being saved',
  ],
  [
    'refuses the deletion with status 200 and a state',
    either(
      inTurn('DELETE', [200, { success: false, status: 'error', error: 'A profile is being saved' }]),
      inTurn('GET', [404, gone]),
    ),
    'A profile is being saved',
  ],
  [
    'supports no known form of deletion',
    either(inTurn('DELETE', [405, { success: false, error: 'Method not allowed' }]), inTurn('GET', state('active'))),
    'Method not allowed',
  ],
])('deleting a session rejects with the reason if the service %s', async (_, answer, message) => {
  await using service = await startForeignService(answer)
  const call = createCall(resolveConfig({ baseUrl: service.url, apiKey: service.apiKey }))

  await expect(deleteSession(call, 'session-1', { settleMs: 600 })).rejects.toThrow(message)
})
