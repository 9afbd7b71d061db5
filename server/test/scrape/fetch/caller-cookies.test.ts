import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

const redirect =
  (to: string, cookies: string[]): Page =>
  ({ response, crossOrigin }) => {
    response.writeHead(302, { location: to.replace('FOREIGN', crossOrigin), 'set-cookie': cookies }).end()
  }

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture(
    {},
    {
      '/consent': redirect('/headers', [
        'z=9; Path=/; HttpOnly',
        'narrow=1; Path=/elsewhere',
        'b=new; Path=/',
        'kept=1; Path=/; Max-Age=1000',
      ]),
      '/there': redirect('FOREIGN/back', ['z=9; Path=/']),
      '/back': redirect('FOREIGN/headers', ['a=foreign; Path=/', 'foreign=1; Path=/']),
      '/away-for-good': redirect('FOREIGN/headers', ['z=9; Path=/']),
      '/sign-out': redirect('/headers', ['a=; Path=/; Max-Age=0']),
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

async function cookiesSent(path: string, how: object, headers: Readonly<Record<string, string>> = {}) {
  const earlier = fixture.site.requests.all.length
  await fixture.read(path, { headers: { cookie: 'a=1; b=2', ...headers }, onlyMainContent: false, ...how })
  return fixture.site.requests.all
    .slice(earlier)
    .filter((request) => request.path !== '/favicon.ico')
    .map((request) => [request.path, request.headers.cookie])
}

describe.each([
  ['fetched', {}],
  ['rendered', { waitFor: 1 }],
])('the cookies of the caller, for a page that is %s', (_, how) => {
  test('are sent together with those that a redirect has set, of which the later of a name wins', async () => {
    expect(await cookiesSent('/consent', how)).toEqual([
      ['/consent', 'a=1; b=2'],
      ['/headers', expect.toSatisfy(haveAll('a=1', 'b=new', 'z=9', 'kept=1'))],
    ])
  })

  test('are not sent to other origins, and the cookies of those are not sent to the origin', async () => {
    expect(await cookiesSent('/away-for-good', how)).toEqual([
      ['/away-for-good', 'a=1; b=2'],
      ['/headers', undefined],
    ])
    expect(await cookiesSent('/there', how)).toEqual([
      ['/there', 'a=1; b=2'],
      ['/back', undefined],
      ['/headers', 'a=1; b=2; z=9'],
    ])
  })

  test('are sent as they were written if no site sets a cookie', async () => {
    expect(await cookiesSent('/headers', how, { cookie: 'odd;x="1;2" ; y' })).toEqual([['/headers', 'odd;x="1;2" ; y']])
  })
})

test('a cookie of the caller that the site deletes is not sent again', async () => {
  expect(await cookiesSent('/sign-out', {})).toEqual([
    ['/sign-out', 'a=1; b=2'],
    ['/headers', 'b=2'],
  ])
})

test('a cookie of the caller wins over one of the same name in a profile', async () => {
  const how = { waitFor: 1, profile: { name: 'with-cookies' } }
  await fixture.read('/consent', how)

  expect(await cookiesSent('/headers', how)).toEqual([
    ['/headers', expect.toSatisfy(haveAll('a=1', 'b=2', 'z=9', 'kept=1'))],
  ])
})

function haveAll(...pairs: readonly string[]): (header: string) => boolean {
  return (header) => header.split('; ').toSorted().join() === pairs.toSorted().join()
}
