import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { BowlineError } from '../../../src/kit/errors.ts'
import { Recordings } from '../../src/recordings/recordings.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ maxSessions: 1 })
})
afterAll(async () => lab[Symbol.asyncDispose]())
afterEach(() => void vi.restoreAllMocks())

const failures = [
  {
    cause: new Error('EMFILE: too many open files'),
    response: { code: 'BROWSER_START_FAILED', error: expect.stringContaining('setup of the session failed: EMFILE') },
  },
  {
    cause: new BowlineError('STORE_UNAVAILABLE', 'The database is unreachable', { retryAfterSeconds: 2 }),
    response: { code: 'STORE_UNAVAILABLE', error: 'The database is unreachable' },
  },
]

test.each(failures)(
  'a session that fails to start ($response.code) leaves no browser, lease or bill, and its error has the reason',
  async ({ cause, response }) => {
    const profile = { name: 'acme' }
    vi.spyOn(Recordings.prototype, 'start').mockRejectedValueOnce(cause)

    const failed = await lab.api('POST', '/v2/browser', { profile })

    expect(failed.body).toMatchObject({ success: false, ...response })
    await expect.poll(() => browserPids(lab.dataDir)).toEqual([])
    const { body } = await lab.api('GET', '/v2/browser')
    expect(body['sessions'][0]).toMatchObject({ status: 'error', endReason: 'crashed', creditsBilled: 0 })
    // Its slot and the lease of its profile are free.
    const next = await lab.createSession({ profile })
    expect((await lab.api('DELETE', `/v2/browser/${next.id}`)).body['profile']).toMatchObject({ saveChanges: true })
  },
)
