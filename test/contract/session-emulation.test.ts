import { expect, test } from 'vitest'
import {
  parseOriginPattern,
  sessionExtraHeaders,
  sessionGeolocation,
  sessionLocale,
  sessionTimezone,
  sessionUserAgent,
  viewport,
} from '../../src/contract/session-emulation.ts'

const header = (name: string, value = '1', origin = 'https://api.example.com') => ({ [origin]: { [name]: value } })

test.each([
  ['a viewport', viewport, { width: 800, height: 600 }, { width: 800, height: 600, deviceScaleFactor: 1 }],
  ['a locale', sessionLocale, 'de_at', 'de-AT'],
  ['a locale with a script', sessionLocale, 'zh-Hant-TW', 'zh-Hant-TW'],
  ['a time zone', sessionTimezone, 'Asia/Kolkata', 'Asia/Kolkata'],
  ['a position', sessionGeolocation, { latitude: -1, longitude: 180 }, { latitude: -1, longitude: 180, accuracy: 1 }],
  ['a user agent', sessionUserAgent, 'Mozilla/5.0 (X)', 'Mozilla/5.0 (X)'],
  ['a header', sessionExtraHeaders, header('X-A'), header('X-A')],
  ['a wildcard', sessionExtraHeaders, header('x-a', '', 'http://*.a.test:81'), header('x-a', '', 'http://*.a.test:81')],
])('%s is accepted', (_name, schema, value, expected) => {
  expect(schema.parse(value)).toEqual(expected)
})

test.each([
  ['an empty viewport', viewport, { width: 0, height: 600 }, '>=100'],
  ['a fraction of a pixel', viewport, { width: 800.5, height: 600 }, 'int'],
  ['a huge viewport', viewport, { width: 8000, height: 8000 }, '40 million device pixels'],
  ['an unknown time zone', sessionTimezone, 'Europe/Atlantis', 'such as `Europe/Berlin`'],
  ['an offset', sessionTimezone, '+02:00', 'IANA'],
  ['a malformed locale', sessionLocale, 'german!', 'such as `de-DE`'],
  ['a locale with two scripts', sessionLocale, 'de-Latn-Cyrl', 'such as `de-DE`'],
  ['a position off the globe', sessionGeolocation, { latitude: 91, longitude: 0 }, '<=90'],
  ['a line break in a user agent', sessionUserAgent, 'a\r\nb', 'printable ASCII'],
  ['Host', sessionExtraHeaders, header('Host'), 'the browser decides on this header'],
  ['Content-Length', sessionExtraHeaders, header('content-length'), 'the browser decides on this header'],
  ['Sec-Fetch-Site', sessionExtraHeaders, header('Sec-Fetch-Site'), 'the browser decides on this header'],
  ['Cookie', sessionExtraHeaders, header('Cookie'), 'use a profile'],
  ['User-Agent', sessionExtraHeaders, header('user-agent'), 'set `userAgent`'],
  ['Accept-Language', sessionExtraHeaders, header('accept-language'), 'set `locale`'],
  ['a name with a space', sessionExtraHeaders, header('x a'), 'not a name of a header'],
  ['a value with a line break', sessionExtraHeaders, header('x-a', 'b\r\nHost: c'), 'printable ASCII'],
  ['a host without a scheme', sessionExtraHeaders, header('x-a', 'b', 'a.test'), 'must be an origin'],
  ['a path', sessionExtraHeaders, header('x-a', 'b', 'https://a.test/b'), 'must be an origin'],
  ['all hosts', sessionExtraHeaders, header('x-a', 'b', 'https://*'), 'must be an origin'],
])('%s is refused, with a remedy', (_name, schema, value, message) => {
  expect(schema.safeParse(value).error?.message).toContain(message)
})

test('an origin without a port has the port of its scheme', () => {
  expect(['https://a.test', 'http://*.a.test/', 'HTTP://a.test:8080'].map(parseOriginPattern)).toEqual([
    { protocol: 'https:', domain: 'a.test:443' },
    { protocol: 'http:', domain: '*.a.test:80' },
    { protocol: 'http:', domain: 'a.test:8080' },
  ])
})
