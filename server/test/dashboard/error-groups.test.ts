import { expect, test } from 'vitest'
import { codeOf, groupErrors, hostOf } from '../../dashboard/jobs/error-groups.ts'

const failed = [
  { id: '1', url: 'https://a.example/1', error: 'refused', code: 'SCRAPE_SITE_ERROR' },
  { id: '2', url: 'https://b.example:8080/2', error: 'refused', code: 'SCRAPE_SITE_ERROR' },
  { id: '3', url: 'https://a.example/3', error: 'too late', code: 'SCRAPE_TIMEOUT' },
  { id: '4', url: 'nonsense', error: 'unknown' },
]

test('errors are grouped by code, largest group first', () => {
  expect(groupErrors(failed, codeOf)).toEqual([
    { name: 'SCRAPE_SITE_ERROR', count: 2 },
    { name: 'other', count: 1 },
    { name: 'SCRAPE_TIMEOUT', count: 1 },
  ])
})

test('errors are grouped by host, with its port', () => {
  expect(groupErrors(failed, hostOf)).toEqual([
    { name: 'a.example', count: 2 },
    { name: 'b.example:8080', count: 1 },
    { name: 'nonsense', count: 1 },
  ])
})
