import { expect, test } from 'vitest'
import { scrapeRequest } from '../../../../src/contract/scrape.ts'
import { canServe, parseFacts } from '../../../src/scrape/document/cached-page-facts.ts'

test.each([
  ['isPageStored', true],
  ['isPageStored', false],
  ['isWhole', true],
  ['isWhole', false],
])('a page stored with %s: %s serves other options if its content is stored', (name, isStored) => {
  const facts = { answerKey: 'x', kind: 'html', isShell: false, isEnhanced: false, isUnverified: false }
  const stored = JSON.stringify({ ...facts, [name]: isStored })
  const request = scrapeRequest.parse({ url: 'https://site.test/', formats: ['links'], lockdown: true })

  expect(canServe(parseFacts(stored), request, false)).toBe(isStored)
})
