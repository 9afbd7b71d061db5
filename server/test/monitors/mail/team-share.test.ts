import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../../src/kit/ids.ts'
import { startMailServer } from '../../../../test/lab/mail-server.ts'
import { describeEachStore } from '../../../../test/lab/stores.ts'
import { Mailer } from '../../../src/monitors/mail/mailer.ts'
import { insertMonitor } from '../../../src/monitors/queries/monitors.ts'
import { openTaskQueues } from '../../../src/queue/open-task-queues.ts'
import { makeTeam } from '../../store/fixture.ts'
import { plainMonitor } from '../fixture.ts'

describeEachStore('emails', (openStore) => {
  test('of a team whose recipients do not respond do not delay those of other teams', async () => {
    await using server = await startMailServer({ isSilentFor: (address) => address.endsWith('@silent.example') })
    await using store = await openStore()
    const onError = (error: unknown): void => expect.fail(String(error))
    await using queues = await openTaskQueues({ store, onError })
    const transport = createTransport({ url: server.url })
    using transports = new DisposableStack()
    transports.defer(() => transport.close())
    const settings = { from: 'bot@a.example', trusted: [], publicUrl: 'http://bowline.example', onError }
    const mailer = await Mailer.open({ store, queues, transport, ...settings })
    const subscribe = async (recipients: readonly string[]): Promise<void> => {
      const { team, key } = await makeTeam(store.db)
      const monitor = { id: uuidV7(), teamId: team.id }
      await insertMonitor(store.db, plainMonitor({ ...monitor, apiKeyId: key.id, nextRunAt: null }))
      await mailer.subscribe(store.db, monitor, {
        email: { enabled: true, recipients: [...recipients], includeDiffs: false },
      })
    }

    await subscribe(Array.from({ length: 9 }, (_, index) => `${index}@silent.example`))
    await subscribe(['one@b.example'])

    await expect.poll(() => server.mails.map(({ to }) => to), { timeout: 20_000 }).toEqual(['one@b.example'])
  })
})
