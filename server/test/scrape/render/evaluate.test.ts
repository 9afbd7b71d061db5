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
