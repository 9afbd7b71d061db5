import { expect, test } from 'vitest'
import { CookieJar } from '../../../src/scrape/fetch/cookie-jar.ts'

function sent(headers: readonly string[], to = 'https://a.example/', from = 'https://a.example/'): string | undefined {
  const jar = new CookieJar()
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
  ['a name of objects', ['__proto__=1', 'constructor=2'], '__proto__=1; constructor=2'],
  ['a deletion by Max-Age', ['a=1', 'b=2', 'a=gone; max-age=0'], 'b=2'],
  ['a deletion by negative Max-Age', ['a=1', 'a=; Max-Age=-1'], undefined],
  ['a deletion by Expires', ['a=1', 'a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  ['Max-Age before Expires', ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60'], 'a=1'],
  ['dates that cannot be read', ['a=1; Expires=soon; Max-Age=long'], 'a=1'],
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
