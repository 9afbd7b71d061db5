import { expect, test } from 'vitest'
import { ScrapeCookies } from '../../../src/scrape/fetch/scrape-cookies.ts'

const start = 'https://www.shop.example.com/account/login'

test.each([
  ['a cookie goes back to its host', 'a=1', 'https://www.shop.example.com/account/', 'a=1'],
  ['a cookie without Domain stays with its host', 'a=1; Path=/', 'https://shop.example.com/', undefined],
  ['a cookie without Domain is not sent to subdomains', 'a=1; Path=/', 'https://cdn.www.shop.example.com/', undefined],
  ['Domain includes the parent', 'a=1; Path=/; Domain=example.com', 'https://example.com/', 'a=1'],
  ['Domain includes siblings', 'a=1; Path=/; Domain=.example.com', 'https://pay.example.com/', 'a=1'],
  ['Domain ends at a dot', 'a=1; Path=/; Domain=example.com', 'https://badexample.com/', undefined],
  ['a foreign Domain is rejected', 'a=1; Path=/; Domain=other.com', 'https://other.com/', undefined],
  ['a child as Domain is rejected', 'a=1; Path=/; Domain=x.www.shop.example.com', start, undefined],
  ['a top-level Domain is rejected', 'a=1; Path=/; Domain=com', 'https://other.com/', undefined],
  ['without Path, the folder of the URL applies', 'a=1', 'https://www.shop.example.com/cart', undefined],
  ['Path includes the paths below it', 'a=1; Path=/docs', 'https://www.shop.example.com/docs/a?b', 'a=1'],
  ['Path ends at a slash', 'a=1; Path=/docs', 'https://www.shop.example.com/docs2', undefined],
  ['Secure stays off plain HTTP', 'a=1; Path=/; Secure', 'http://www.shop.example.com/', undefined],
  ['Secure is sent over TLS', 'a=1; Path=/; Secure', 'https://www.shop.example.com/', 'a=1'],
  ['HttpOnly is sent', 'a=1; Path=/; HttpOnly', start, 'a=1'],
  ['a past date expires', 'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', start, undefined],
  ['a future date does not', 'a=1; Path=/; Expires=Fri, 01 Jan 2999 00:00:00 GMT', start, 'a=1'],
  ['Max-Age=0 expires', 'a=1; Path=/; Max-Age=0', start, undefined],
  ['Max-Age precedes Expires', 'a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', start, 'a=1'],
  ['the port is ignored', 'a=1; Path=/', 'https://www.shop.example.com:8443/', 'a=1'],
  ['a value may contain =', 'a=b=c; Path=/', start, 'a=b=c'],
  ['a __Host- cookie with a Domain is rejected', '__Host-a=1; Secure; Path=/; Domain=example.com', start, undefined],
  ['a broken cookie is ignored', '=; ;;', start, undefined],
])('%s', (_, header, to, sent) => {
  const jar = new ScrapeCookies()
  jar.store(new URL(start), [header])

  expect(jar.headerFor(new URL(to))).toBe(sent)
})

test.each([
  ['https://a.co.uk/', 'co.uk', 'https://b.co.uk/'],
  ['https://a.github.io/', 'github.io', 'https://b.github.io/'],
])('%s cannot set a cookie for the public suffix %s', (from, domain, to) => {
  const jar = new ScrapeCookies()
  jar.store(new URL(from), [`a=1; Path=/; Domain=${domain}`])

  expect(jar.headerFor(new URL(to))).toBeUndefined()
})

test('a later cookie replaces or deletes an earlier one of the same name, domain and path', () => {
  const jar = new ScrapeCookies()
  const url = new URL('https://example.com/')
  jar.store(url, ['a=1', 'b=1', 'a=1; Path=/x'])
  jar.store(url, ['a=2', 'b=; Max-Age=0'])

  expect(jar.headerFor(url)).toBe('a=2')
  expect(jar.headerFor(new URL('https://example.com/x'))).toBe('a=1; a=2')
})

test.each(['http://127.0.0.1:8080/', 'http://[::1]:8080/', 'http://intranet/', 'http://localhost/'])(
  'the cookies of %s go back to it',
  (address) => {
    const jar = new ScrapeCookies()
    jar.store(new URL(address), ['a=1'])

    expect(jar.headerFor(new URL('/next', address))).toBe('a=1')
  },
)

test('thousands of cookies, or a huge one, neither fill the header nor hide small ones', () => {
  const jar = new ScrapeCookies()
  const url = new URL('https://example.com/')
  jar.store(url, ['small=1', `huge=${'x'.repeat(60_000)}`, ...Array.from({ length: 4000 }, (_, at) => `c${at}=1`)])

  expect(jar.headerFor(url)?.length).toBeLessThanOrEqual(4096)
  expect(jar.headerFor(url)).toMatch(/^small=1; c0=1; c1=1/)
})

function sent(headers: readonly string[], to = 'https://a.example/', from = 'https://a.example/'): string | undefined {
  const jar = new ScrapeCookies()
  jar.store(new URL(from), headers)
  return jar.headerFor(new URL(to))
}

test.each([
  ['none', [], undefined],
  ['a pair', ['a=1'], 'a=1'],
  ['attributes', ['a=1; Path=/; HttpOnly; SameSite=Lax'], 'a=1'],
  ['spaces', ['  a = 1 2 ;Path=/'], 'a=1 2'],
  ['several', ['a=1', 'b=2'], 'a=1; b=2'],
  ['a name twice: the last wins', ['a=1', 'a=2'], 'a=2'],
  ['names that differ in case', ['a=1', 'A=2'], 'a=1; A=2'],
  ['an empty value', ['a='], 'a='],
  ['a value with equals signs and quotes', ['a="b=c=="'], 'a="b=c=="'],
  ['no equals sign', ['a'], undefined],
  ['no name', ['=1', ' =2'], undefined],
  ['an empty header', ['', ';', ';;a=1'], undefined],
  ['a name of an Object property', ['__proto__=1', 'constructor=2'], '__proto__=1; constructor=2'],
  ['a deletion by Max-Age', ['a=1', 'b=2', 'a=gone; max-age=0'], 'b=2'],
  ['a deletion by negative Max-Age', ['a=1', 'a=; Max-Age=-1'], undefined],
  ['a deletion by Expires', ['a=1', 'a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  ['Max-Age before Expires', ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60'], 'a=1'],
  ['invalid dates', ['a=1; Expires=soon; Max-Age=long'], 'a=1'],
  ['one that is too long, and one that fits', [`a=${'x'.repeat(5000)}`, 'b=2'], 'b=2'],
])('the header for %s', (_what, headers, header) => {
  expect(sent(headers)).toBe(header)
})

test.each([
  ['the same host', 'https://a.example/x?y', 'a=1; b=2'],
  ['the host in upper case', 'https://A.EXAMPLE/', 'a=1; b=2'],
  ['another port', 'https://a.example:8443/', 'a=1; b=2'],
  ['a sub-domain', 'https://b.a.example/', undefined],
  ['another host', 'https://a.example.evil/', undefined],
  ['a connection without encryption', 'http://a.example/', 'a=1'],
])('cookies are sent to %s as they should', (_what, to, header) => {
  expect(sent(['a=1', 'b=2; Secure'], to)).toBe(header)
})
