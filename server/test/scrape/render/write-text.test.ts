import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test.each([
  ['No element has the focus', []],
  ['The element with the focus, <button>, accepts no text', [{ type: 'click', selector: '#greet' }]],
])('the action write fails: %s', async (reason, before) => {
  const actions = [...before, { type: 'write', text: 'Ada' }]

  const { body } = await fixture.scrape('/acting', { actions })

  expect(body).toMatchObject({
    code: 'SCRAPE_ACTION_ERROR',
    error: `Action ${actions.length} (write): ${reason}`,
    hint: 'Add a `click` action on the input before it.',
  })
})

test.each([
  ['an editable element', 'document.body.contentEditable = "true"; document.body.focus()', 'body'],
  ['a document in design mode', 'document.designMode = "on"; getSelection().collapse(document.body, 0)', 'body'],
  ['a text area', 'document.body.innerHTML = "<textarea>"; document.body.firstChild.focus()', 'textarea'],
])('the action write writes into %s', async (_what, script, selector) => {
  const read = `const found = document.querySelector("${selector}"); found.value ?? found.textContent`
  const { actions } = await fixture.read('/acting', {
    actions: [
      { type: 'executeJavascript', script },
      { type: 'write', text: 'Ada' },
      { type: 'executeJavascript', script: read },
    ],
  })

  expect(actions['javascriptReturns'].at(-1).value).toContain('Ada')
})
