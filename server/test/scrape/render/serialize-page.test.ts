import { describe, expect, test } from 'vitest'
import { bodyOf, insertFrames } from '../../../src/scrape/render/serialize-page.ts'

const limit = 20_000_001

test.each([
  ['<html><head></head><body class="a"><p>x</p></body></html>', '<p>x</p>'],
  ['<html><BODY><p>x</p>', '<p>x</p>'],
  ['<p>x</p>', '<p>x</p>'],
  [
    '<html><head><style>x{}</style></head><frameset></frameset></html>',
    '<html><head><style>x{}</style></head><frameset></frameset></html>',
  ],
])('the body of %j is %j', (html, body) => {
  expect(bodyOf(html)).toBe(body)
})

describe('a document that is cut at the maximum', () => {
  test('may consist of tags that do not end', () => {
    const html = `<html><head><style>${'<body '.repeat(limit / 6)}`
    const before = process.cpuUsage()

    expect(bodyOf(html)).toBe(html)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
  })

  test('may have many marks of frames in a tag that does not end', () => {
    const html = `<iframe ${'data-bowline-frame="A" '.repeat(800)}${'x'.repeat(limit - 20_000)}`
    const before = process.cpuUsage()

    expect(insertFrames(html, new Map())).toBe(html)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
  })
})

test('frames are inserted once, also into each other', () => {
  const parts = new Map([
    ['A', 'a<iframe data-bowline-frame="B"></iframe>'],
    ['B', 'b'],
  ])
  const mark = '<iframe src="x" data-bowline-frame="A" title="y">fallback</iframe>'

  expect(insertFrames(`${mark}${mark}`, parts)).toBe(
    '<div data-frame>a<div data-frame>b</div></div><div data-frame></div>',
  )
})
