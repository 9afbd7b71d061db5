import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('the branding of a page is read from its styles, not from a page that was stored without it', async () => {
  await fixture.read('/branded', { waitFor: 10 })
  const { branding, metadata } = await fixture.read('/branded', { formats: ['branding'] })

  expect(metadata['creditsUsed']).toBe(1)
  expect(branding).toEqual({
    colorScheme: 'dark',
    brandName: 'Harbour Inn',
    logo: fixture.site.url('/logo.png'),
    fonts: [{ family: 'Inter' }, { family: 'Lora' }],
    colors: {
      background: '#101820',
      textPrimary: '#F0F0F0',
      primary: '#E63946',
      secondary: '#457B9D',
      accent: expect.stringMatching(/^#[0-9A-F]{6}$/),
      link: expect.stringMatching(/^#[0-9A-F]{6}$/),
    },
    typography: {
      fontFamilies: { primary: 'Inter', heading: 'Lora' },
      fontStacks: { body: ['Inter', 'Open Sans'], heading: ['Lora'] },
      fontSizes: { body: '16px', h1: '40px' },
      lineHeights: { body: '24px', h1: '48px' },
      fontWeights: { body: 400, h1: 700 },
    },
    spacing: { baseUnit: 8, borderRadius: '8px' },
    components: {
      buttonPrimary: { background: '#E63946', textColor: '#FFFFFF', borderRadius: '8px' },
      buttonSecondary: { background: '#457B9D', textColor: '#FFFFFF', borderRadius: '8px' },
      input: { borderColor: '#808080', borderRadius: '4px' },
    },
    images: { logo: fixture.site.url('/logo.png'), favicon: fixture.site.url('/icon.svg') },
  })
})

describe('the results of scripts', () => {
  const script = (source: string): object => ({ type: 'executeJavascript', script: source })
  test.each([
    ['a string', [script('"x".repeat(5e6)')], 1],
    ['an object', [script('({ text: "x".repeat(5e6) })')], 1],
    ['a promise', [script('Promise.resolve(["x".repeat(5e6)])')], 1],
    ['an error', [script('throw new Error("x".repeat(5e6))')], 1],
    ['the sum of several', [script('"x".repeat(3e6)'), script('["x".repeat(3e6)]')], 2],
  ])('may have 4 MB in total: %s', async (_what, actions, failed) => {
    const { body } = await fixture.scrape('/acting', { actions })

    expect(body).toMatchObject({ code: 'SCRAPE_ACTION_ERROR', error: expect.stringContaining(`Action ${failed} `) })
    expect(body['error']).toContain('must not exceed 4 MB in total')
  })

  test('are cut in the message of an error', async () => {
    const { body } = await fixture.scrape('/acting', { actions: [script('throw new Error("x".repeat(1e6))')] })

    expect(body['code']).toBe('SCRAPE_ACTION_ERROR')
    expect(String(body['error']).length).toBeLessThan(6000)
  })
})

test('a page that replaces what the server reads cannot send it more than a text', async () => {
  const script = `Object.prototype.then = function (resolve) { delete Object.prototype.then; resolve(Array(5e6).fill(1)) }
    Element.prototype.getHTML = () => '<body>replaced</body>'; void 0`
  const actions = [{ type: 'executeJavascript', script: `setTimeout(() => { ${script} }, 0); 1` }]
  const { rawHtml } = await fixture.read('/acting', { actions, formats: ['rawHtml'] })

  expect(rawHtml).toContain('replaced')
})

test('HTML over 20 million characters is cut', async () => {
  const script = 'document.body.append(document.createComment("x".repeat(22e6))); 1'
  const actions = [{ type: 'executeJavascript', script }]
  const { rawHtml } = await fixture.read('/acting', { actions, formats: ['rawHtml'] })

  expect(String(rawHtml).length).toBeLessThan(20_000_100)
})
