import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

describe('creating a session', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab()
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('names unknown keys in a warning', async () => {
    const body = { tll: 5, profile: { name: 'x', saveChange: false }, more: { a: 1 } }

    expect(await lab.api('POST', '/v2/browser', body)).toMatchObject({
      status: 200,
      body: {
        warning:
          'Unknown keys were ignored: `tll` (did you mean `ttl`?), `profile.saveChange` (did you mean `saveChanges`?), `more`.',
      },
    })
  })

  test('names unknown parameters of its query in a warning', async () => {
    const { body } = await lab.api('GET', '/v2/browser?stauts=active')

    expect(body['warning']).toBe('Unknown query parameter was ignored: `stauts` (did you mean `status`?).')
  })

  test('accepts `save_changes`, which Python clients send', async () => {
    const { body } = await lab.api('POST', '/v2/browser', { profile: { name: 'snake', save_changes: false } })

    expect(body).not.toHaveProperty('warning')
    expect((await lab.api('DELETE', `/v2/browser/${body['id']}`)).body).toMatchObject({
      profile: { saveChanges: false },
    })
  })
})
