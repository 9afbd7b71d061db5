import { createTransport } from 'nodemailer'
import { expect, test, vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { openJobs } from '../../../src/server/jobs/open-jobs.ts'
import { Mailer } from '../../../src/server/mail/mailer.ts'
import { insertCheck } from '../../../src/server/store/monitor-checks.ts'
import { findMonitor, insertMonitor } from '../../../src/server/store/monitors.ts'
import { startMailServer } from '../../lab/mail-server.ts'
import { openPgliteStore } from '../../lab/stores.ts'
import { makeTeam } from '../store/world.ts'
import { plainMonitor } from './world.ts'

test('a mail is tried again when the mail server has no time, given up in the end, and never sent twice for a check', async () => {
  // The first mail is refused once, the second at each of its three tries.
  await using server = await startMailServer((count) => count === 1 || count > 2)
  await using store = await openPgliteStore()
  await using jobs = await openJobs({ store, databaseUrl: undefined, onError: (error) => expect.fail(String(error)) })
  const transport = createTransport({ url: server.url })
  const settings = { from: 'bot@a.example', trusted: ['a.example'], retryDelaysSeconds: [0.1, 0.1] }
  const mailer = await Mailer.open({ store, jobs, transport, ...settings })
  const { team, key } = await makeTeam(store.db)
  const id = uuidV7()
  const email = { enabled: true, recipients: ['one@a.example'], includeDiffs: false }
  await insertMonitor(
    store.db,
    plainMonitor({ id, teamId: team.id, apiKeyId: key.id, notification: JSON.stringify({ email }) }),
  )
  await mailer.subscribe(store.db, id, { email })
  const monitor = (await findMonitor(store.db, id))!
  const summary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 }
  const tell = async (): Promise<void> => {
    const check = (await insertCheck(store.db, {
      monitorId: id,
      teamId: team.id,
      status: 'completed',
      trigger: 'manual',
      scheduledFor: new Date(),
      estimatedCredits: 1,
      summary: JSON.stringify(summary),
    }))!
    const ended = { id: check.id, status: 'completed', summary } as const
    await mailer.enqueueCheck(store.db, monitor, ended)
    await mailer.enqueueCheck(store.db, monitor, ended)
  }
  const statuses = async () => store.db.selectFrom('mail').select(['status', 'error']).orderBy('id').execute()

  await tell()
  await vi.waitFor(async () => expect(await statuses()).toMatchObject([{ status: 'sent' }]), { timeout: 20_000 })
  await tell()
  await vi.waitFor(async () => expect(await statuses()).toMatchObject([{ status: 'sent' }, { status: 'failed' }]), {
    timeout: 20_000,
  })

  expect(server.mails.map(({ to }) => to)).toEqual(['one@a.example'])
  expect((await statuses())[1]?.error).toContain('Try later')
})
