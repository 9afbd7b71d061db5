import { expect, test } from 'vitest'
import { metaRefreshTarget } from '../../../src/scrape/fetch/meta-refresh.ts'

const tag = '<meta http-equiv="refresh" content="0; url=/next">'

test.each([
  ['without other markup', tag, true],
  ['in a comment', `<!-- ${tag} -->`, false],
  ['in <noscript>', `<NoScript>${tag}</noscript>`, false],
  ['after a comment', `<!-- a --><!-- b -->${tag}`, true],
  ['after a comment in <noscript>', `<noscript><!-- </noscript>${tag}`, true],
  ['between comments', `<!-- a -->${tag}<!-- b -->`, true],
  ['after thousands of comments without an end', '<!--'.repeat(4000) + tag, true],
  ['after thousands of <noscript> without an end', '<noscript>'.repeat(1000) + tag, true],
])('a redirect %s', (_, html, isFollowed) => {
  expect(metaRefreshTarget(html, 'https://a.example/')).toBe(isFollowed ? 'https://a.example/next' : undefined)
})
