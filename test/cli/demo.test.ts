import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { runDemo, type DemoEnd } from '../../src/cli/run-demo.ts'

const silent = { onServer: () => {}, onSession: () => {} }

async function removeScreenshots({ sessions }: DemoEnd): Promise<void> {
  for (const { screenshot } of sessions) await rm(dirname(screenshot), { recursive: true, force: true })
}

test('the demo drives its own page with both drivers, bills both sessions and leaves no process', async () => {
  const end = await runDemo({}, silent)
  const images = await Promise.all(end.sessions.map(({ screenshot }) => readFile(screenshot)))
  await removeScreenshots(end)

  expect(end.sessions.map(({ driver }) => driver)).toEqual(['playwright', 'puppeteer'])
  expect(end.sessions.map(({ title }) => title)).toEqual(['Harbour Office', 'Harbour Office'])
  expect(end.sessions.map(({ outcome }) => outcome)).toEqual([
    expect.stringContaining('Albatross lies at North Quay'),
    expect.stringContaining('Kittiwake lies at North Quay'),
  ])
  expect(end.sessions.map(({ creditsBilled }) => creditsBilled)).toEqual([2, 2])
  expect(images.map((image) => image.subarray(1, 4).toString())).toEqual(['PNG', 'PNG'])
  expect(end.started).toBeGreaterThan(0)
  expect(end.stillRunning).toEqual([])
})

test('the demo reports an unreachable page and drives the bundled one', async () => {
  const end = await runDemo({ url: 'nowhere.invalid' }, silent)
  await removeScreenshots(end)

  const reason = expect.stringMatching(/^https:\/\/nowhere\.invalid\/ could not be reached \(net::ERR_\w+\)$/)
  expect(end.sessions.map(({ fallbackReason }) => fallbackReason)).toEqual([reason, reason])
  expect(end.sessions.map(({ title }) => title)).toEqual(['Harbour Office', 'Harbour Office'])
})

test('the demo rejects URLs that are not http or https', async () => {
  await expect(runDemo({ url: 'ftp://example.com' }, silent)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
