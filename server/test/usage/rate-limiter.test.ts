import { describe, expect, test } from 'vitest'
import { addressesOf } from '../../../src/contract/fill-path.ts'
import { parseRateLimits } from '../../../src/contract/rate-limits.ts'
import { routes, type Route } from '../../../src/contract/routes.ts'

describe('parseRateLimits', () => {
  test.each([
    ['off', {}],
    ['scrape=5', { scrape: 5 }],
    ['scrape=5, map=7,scrape=off', { map: 7 }],
  ])('%s', (text, limits) => {
    expect(parseRateLimits(text)).toEqual(limits)
  })

  test('x10,crawl=5,map=off', () => {
    expect(parseRateLimits('x10,crawl=5,map=off')).toMatchObject({ scrape: 100, search: 100, crawl: 5, browser: 20 })
    expect(parseRateLimits('x10,crawl=5,map=off')).not.toHaveProperty('map')
  })

  test.each(['', 'fast', 'scrape', 'scrape=-1', 'walk=5', 'x', 'scrape=5;map=5', 'constructor=5'])(
    'rejects %j',
    (text) => {
      expect(parseRateLimits(text)).toBeUndefined()
    },
  )
})

describe('the rate limit kind of a request', () => {
  const declared = Object.values(routes).flatMap((route: Route) =>
    addressesOf(route).map(({ path }) => ({
      path,
      method: route.method,
      activity: route.activity,
      rateLimit: route.rateLimit,
    })),
  )
  const requestKindOf = (method: string, path: string) =>
    declared.find((route) => route.method === method && route.path === path)?.rateLimit

  test.each([
    ['POST', '/v1/scrape', 'scrape'],
    ['POST', '/v2/batch/scrape', 'scrape'],
    ['GET', '/v2/batch/scrape/{id}', 'crawlStatus'],
    ['POST', '/v2/monitor/{id}/run', 'crawl'],
    ['GET', '/v2/monitor/{id}/checks', 'crawlStatus'],
    ['GET', '/v1/extract/{id}', 'extractStatus'],
    ['POST', '/v2/interact', 'browser'],
    ['DELETE', '/v2/browser/{id}', 'browserUse'],
    ['GET', '/v2/browser', 'crawlStatus'],
    ['GET', '/v2/browser/{id}', 'crawlStatus'],
    ['GET', '/v2/browser/{id}/recordings', 'replay'],
    ['GET', '/v2/team/activity', 'account'],
  ])('%s %s is %s', (method, path, bucket) => {
    expect(requestKindOf(method, path)).toBe(bucket)
  })

  test('of every route that starts a job has a low limit', () => {
    const slack = declared
      .filter(({ activity }) => activity !== undefined)
      .filter(({ rateLimit }) => ['account', 'crawlStatus', 'browserUse', 'unlimited'].includes(rateLimit))

    expect(slack).toEqual([])
  })
})
