import { mkdtempDisposable, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { drivers } from '../lab/drivers.ts'
import { startLab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'
import { driverFiles } from './driver-files.ts'

const undo = new AsyncDisposableStack()
let bowline: Bowline
let site: Site
beforeAll(async () => {
  const lab = undo.use(await startLab())
  site = undo.use(await startSite())
  bowline = undo.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
})
afterAll(async () => undo.disposeAsync())

test.each(drivers)(
  'files keep their modification time through $name, as single files and in a directory',
  async (driver) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-modified-'))
    const changedAt = new Date('2001-02-03T04:05:06.789Z')
    await writeFile(join(folder.path, 'old.txt'), 'old')
    await utimes(join(folder.path, 'old.txt'), changedAt, changedAt)
    const read = 'document.querySelector("input").files[0].lastModified'
    const hands = driverFiles[driver.name]!

    const { result } = await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      await hands.upload(page, [join(folder.path, 'old.txt')])
      const single = await page.evaluate<number>(read)
      await page.evaluate('document.querySelector("input").webkitdirectory = true')
      await hands.upload(page, [folder.path])
      return [single, await page.evaluate<number>(read)]
    })

    expect(result).toEqual([changedAt.getTime(), changedAt.getTime()])
  },
)
