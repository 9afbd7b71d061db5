import { expect, test } from 'vitest'
import { ClientSecrets } from '../../src/gateway/client-secrets.ts'
import { SecretMask } from '../../src/secrets/secret-mask.ts'

function openSecrets() {
  const mask = new SecretMask()
  mask.add('PASSWORD', 'secret-value')
  const sent: object[] = []
  const session = { secrets: { mask }, row: {} } as never
  const secrets = new ClientSecrets({
    session,
    pages: { pageOf: () => undefined },
    send: (message) => void sent.push(message),
  })
  const maskTexts = async (id: number, ...texts: readonly string[]) =>
    secrets.execute({ id, method: 'Bowline.maskSecrets', params: { texts } })
  return { sent, maskTexts }
}

test('masks texts in the order of the commands, without blocking the server', async () => {
  const { sent, maskTexts } = openSecrets()

  const long = maskTexts(1, `${'x'.repeat(300_000)}secret-value`)
  const short = maskTexts(2, 'a secret-value', 'other')
  expect(sent).toEqual([])
  await Promise.all([long, short])

  expect(sent).toMatchObject([
    { id: 1, result: { texts: [`${'x'.repeat(300_000)}<secret>PASSWORD</secret>`] } },
    { id: 2, result: { texts: ['a <secret>PASSWORD</secret>', 'other'] } },
  ])
})

test('refuses commands while too many texts wait, and texts that are too long', async () => {
  const { sent, maskTexts } = openSecrets()
  const text = ' '.repeat(900_000)

  await Promise.all([1, 2, 3].map(async (id) => maskTexts(id, text)))
  await maskTexts(4, text)
  await maskTexts(5, text, text, text)

  expect(sent).toMatchObject([
    { id: 3, error: { message: expect.stringContaining('are waiting to be masked') } },
    { id: 1, result: { texts: [text] } },
    { id: 2, result: { texts: [text] } },
    { id: 4, result: { texts: [text] } },
    { id: 5, error: { message: expect.stringContaining('2000000 characters') } },
  ])
})
