import { expect, test } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture } from '../fixture.ts'

test('a click on an element that is hidden has a warning, and one on an element without a size has none', async () => {
  const button = (id: string, style: string): string =>
    `<button id="${id}" style="${style}" onclick="out.textContent += '${id} '">b</button>`
  await using fixture = await startScrapeFixture(
    {},
    {
      '/buttons': fixedPage(
        'Buttons',
        `<p id="out">Clicked: </p>${button('none', 'display:none')}${button('invisible', 'visibility:hidden')}
         ${button('contents', 'display:contents')}${button('shown', '')}
         <label>a<input id="small" type="checkbox" style="width:0;height:0;margin:0;opacity:0"></label>`,
      ),
    },
  )
  const click = async (selector: string) => fixture.read('/buttons', { actions: [{ type: 'click', selector }] })

  expect(await click('#none')).toMatchObject({
    markdown: expect.stringContaining('Clicked: none'),
    warning: 'The element "#none" was hidden when it was clicked.',
  })
  expect((await click('#invisible'))['warning']).toBe('The element "#invisible" was hidden when it was clicked.')
  for (const selector of ['#contents', '#shown', '#small']) expect((await click(selector))['warning']).toBeUndefined()
})
