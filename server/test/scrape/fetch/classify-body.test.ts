import { expect, test } from 'vitest'
import { classifyBody } from '../../../src/scrape/fetch/classify-body.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test.each([
  ['text/html; charset=utf-8', 'binary data as text/html'],
  ['text/plain', 'binary data as text/plain'],
  ['application/json', 'binary data as application/json'],
  ['application/octet-stream', 'application/octet-stream'],
  [undefined, 'binary data without a content type'],
])('binary data with the content type %s is refused', (contentType, what) => {
  expect(() => classifyBody(png, contentType)).toThrow(`The URL returns ${what}, which has no text to scrape`)
})

test.each([
  ['markup with stray zeros', Buffer.from('\n<p>a\0b</p>'), 'text/html'],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffHello <b>you</b>', 'utf16le'), 'text/html'],
  ['UTF-16 by its content type', Buffer.from('Hello <b>you</b>', 'utf16le'), 'text/html; charset=utf-16le'],
])('%s is HTML', (_what, bytes, contentType) => {
  expect(classifyBody(bytes, contentType)).toMatchObject({ kind: 'html' })
})

test('an image is one whatever zeros it has', () => {
  expect(classifyBody(png, 'image/png')).toMatchObject({ kind: 'image' })
})
