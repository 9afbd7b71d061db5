import { expect, test } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture } from '../fixture.ts'

test('the value that a script returns after it has navigated is kept', async () => {
  await using fixture = await startScrapeFixture(
    {},
    {
      '/from': fixedPage('From', '<a href="/next">next</a>'),
      '/next': fixedPage('Next', '<p>The next page</p>'),
    },
  )
  const follow = async (end: string) =>
    fixture.read('/from', {
      actions: [{ type: 'executeJavascript', script: `document.querySelector('a').click()\n${end}` }],
    })
  const lost = await follow('new Promise(() => {})')

  for (let round = 0; round < 3; round += 1) {
    const { actions, markdown, warning } = await follow('return { title: document.title }')
    expect(actions.javascriptReturns).toEqual([{ type: 'object', value: { title: 'From' } }])
    expect([markdown, warning]).toEqual(['The next page\n', undefined])
  }
  expect(lost['actions'].javascriptReturns).toEqual([{ type: 'object', value: null }])
  expect(lost['warning']).toBe(
    'The page navigated before the value of a script was read, so it is `null`. End the script with `return` to read it at once.',
  )
})

test('a BigInt is returned as its digits, and a value that JSON cannot hold as null with a warning', async () => {
  await using fixture = await startScrapeFixture({}, { '/plain': fixedPage('Plain', '<p>Text</p>') })
  const run = async (script: string) => {
    const { actions, warning } = await fixture.read('/plain', { actions: [{ type: 'executeJavascript', script }] })
    return [actions.javascriptReturns[0], warning] as const
  }
  const lost = expect.stringContaining('cannot be written as JSON')

  expect(await run('12345678901234567890n')).toEqual([{ type: 'bigint', value: '12345678901234567890' }, undefined])
  expect(await run('return Promise.resolve(-7n)')).toEqual([{ type: 'bigint', value: '-7' }, undefined])
  expect(await run('-0')).toEqual([{ type: 'number', value: 0 }, undefined])
  expect(await run('undefined')).toEqual([{ type: 'undefined', value: null }, undefined])
  expect(await run('null')).toEqual([{ type: 'null', value: null }, undefined])
  for (const script of ['NaN', 'return 1 / 0'])
    expect(await run(script)).toEqual([{ type: 'number', value: null }, lost])
  for (const script of ['({ id: 1n })', 'return [1n]', 'const ring = {}; ring.self = ring; return ring', 'window']) {
    expect(await run(script)).toEqual([{ type: 'object', value: null }, lost])
  }
})
