import { once } from 'node:events'
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { puppeteer } from '../../src/puppeteer.ts'
import { describeEachDriver, type SharedPage } from '../lab/drivers.ts'
import { startLab } from '../lab/lab.ts'
import { sendHtml } from '../lab/pages/page.ts'
import { startSite, type Site } from '../lab/site.ts'
import { contentOf, driverFiles, follow, sha256, type DriverFiles } from './driver-files.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let bowline: Bowline
let folder: string

beforeAll(async () => {
  const lab = fixture.use(await startLab({ warm: 2, maxFilesMb: 20 }))
  site = fixture.use(
    await startSite({
      '/upload/folder': (exchange) => sendHtml(exchange, 'Folder', '<input type="file" webkitdirectory>'),
      '/download/broken': ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 1_000_000 })
        response.write(Buffer.alloc(100_000), () => response.destroy())
      },
      '/download/endless': ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        response.write(Buffer.alloc(100_000))
      },
    }),
  )
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  folder = fixture.use(await mkdtempDisposable(join(tmpdir(), 'files-'))).path
  await writeFile(join(folder, 'a.txt'), 'first')
  await writeFile(join(folder, 'bücher & mehr.txt'), 'second')
  await mkdir(join(folder, 'tree', 'below'), { recursive: true })
  await writeFile(join(folder, 'tree', 'top.txt'), 'top')
  await writeFile(join(folder, 'tree', 'below', 'deep.txt'), 'deep')
})

afterAll(async () => {
  await fixture.disposeAsync()
})

async function emptyFolder() {
  return mkdtempDisposable(join(tmpdir(), 'downloads-'))
}

interface Arrived {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** Submits the form of the page and returns what the site received. */
async function submit(page: SharedPage): Promise<readonly Arrived[]> {
  return page.evaluate<Arrived[]>(
    `fetch('/upload/result', { method: 'POST', body: new FormData(document.forms[0]) }).then((answer) => answer.json())`,
  )
}

describeEachDriver('files', (driver) => {
  const hands = driverFiles[driver.name] as DriverFiles

  test('downloaded by a page are saved on the local disk', async () => {
    await using saved = await emptyFolder()

    const { result: path } = await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      return hands.download(page, site.url('/download?bytes=300000&name=report.pdf'), saved.path, 'report.pdf')
    })

    expect(await readFile(path)).toEqual(contentOf(300_000))
    expect(await readdir(saved.path)).toEqual(['report.pdf'])
  })

  const names: readonly (readonly [string, string])[] = [
    ['Bücher & Ähnliches (2).txt', 'Bücher & Ähnliches (2).txt'],
    ['../../climbing.txt', '_.._climbing.txt'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
    ['no extension', 'no extension'],
    ['日本語.txt', '日本語.txt'],
  ]

  test('are saved under their suggested names, sanitized', async () => {
    await using saved = await emptyFolder()

    await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      for (const [suggested, name] of names) {
        const url = site.url(`/download?bytes=10&name=${encodeURIComponent(suggested)}`)
        const path = await hands.download(page, url, saved.path, name)
        expect(path).toBe(join(saved.path, name))
        expect(await readFile(path)).toEqual(contentOf(10))
      }
    })
  })

  test('can be downloaded one after the other', async () => {
    await using saved = await emptyFolder()
    const sizes = [1000, 2000, 3000]

    await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      for (const size of sizes) {
        const name = `${size}.bin`
        await hands.download(page, site.url(`/download?bytes=${size}&name=${name}`), saved.path, name)
      }
    })

    expect(await readdir(saved.path)).toEqual(['1000.bin', '2000.bin', '3000.bin'])
    for (const size of sizes) expect(await readFile(join(saved.path, `${size}.bin`))).toEqual(contentOf(size))
  })

  test('of the local disk can be set on an input, several at once', async () => {
    const { result } = await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      await hands.upload(page, [join(folder, 'a.txt'), join(folder, 'bücher & mehr.txt')])
      return submit(page)
    })

    expect(result).toEqual([
      { name: 'a.txt', bytes: 5, sha256: sha256('first') },
      { name: 'bücher & mehr.txt', bytes: 6, sha256: sha256('second') },
    ])
  })

  test('of the local disk can be set on a file chooser', async () => {
    const { result } = await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      await hands.choose(page, [join(folder, 'a.txt')])
      return submit(page)
    })

    expect(result).toEqual([{ name: 'a.txt', bytes: 5, sha256: sha256('first') }])
  })

  test('of a directory keep their relative paths', async () => {
    const { result } = await bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload/folder'))
      await hands.upload(page, [join(folder, 'tree')])
      // The browser lists the directory after it has responded to the command.
      await expect.poll(() => page.evaluate(`document.querySelector('input').files.length`)).toBe(2)
      return page.evaluate<string[]>(
        `Promise.all([...document.querySelector('input').files].map(async (file) => file.webkitRelativePath + ': ' + await file.text()))`,
      )
    })

    expect(result.toSorted()).toEqual(['tree/below/deep.txt: deep', 'tree/top.txt: top'])
  })

  test('that do not exist cause a library error with their path', async () => {
    const missing = join(folder, 'missing.txt')

    const outcome = bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      await hands.upload(page, [missing])
    })

    await expect(outcome).rejects.toThrow(missing)
  })

  test('over the quota of the session cause a library error and a warning', async () => {
    const big = join(folder, 'big.bin')
    await writeFile(big, Buffer.alloc(21_000_000))
    const warning = once(process, 'warning')

    const outcome = bowline.withSession({ driver }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      page.setDefaultTimeout(2000)
      await hands.upload(page, [big])
    })

    await expect(outcome).rejects.toThrow(
      /The files of a session can have at most 20 MB in total|Timeout 2000ms exceeded/,
    )
    expect(await warning).toMatchObject([
      { message: expect.stringContaining('The files of a session can have at most 20 MB in total') as string },
    ])
  })

  test('that are unchanged are uploaded once', async () => {
    const { result } = await bowline.withSession({ driver }, async ({ page, session }) => {
      await page.goto(site.url('/upload'))
      await hands.upload(page, [join(folder, 'a.txt')])
      await hands.upload(page, [join(folder, 'a.txt')])
      return { arrived: await submit(page), files: await session.files.list() }
    })

    expect(result.arrived.map((file) => file.name)).toEqual(['a.txt'])
    expect(result.files).toHaveLength(1)
  })
})

describe('with Playwright', () => {
  test('concurrent downloads each have their own content', async () => {
    const sizes = [400_000, 500_000, 600_000, 700_000]

    await bowline.withSession({ driver: playwright }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      const urls = sizes.map((size) => site.url(`/download?bytes=${size}&name=same.bin`))
      // A second navigation would cancel the first, so each download has its own frame.
      const frames = urls.map((url) => `<iframe src="${url}"></iframe>`).join('')
      const [downloads] = await Promise.all([
        Promise.all(urls.map(async (url) => page.waitForEvent('download', (download) => download.url() === url))),
        page.evaluate(`void (document.body.innerHTML = ${JSON.stringify(frames)})`),
      ])
      const paths = await Promise.all(downloads.map((download) => download.path()))

      for (const [index, path] of paths.entries()) expect(await readFile(path)).toEqual(contentOf(sizes[index] ?? 0))
    })
  })

  test('a download has a path, a stream and no failure', async () => {
    await bowline.withSession({ driver: playwright }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#small')])

      expect(download.suggestedFilename()).toBe('small.bin')
      expect(await download.failure()).toBeNull()
      expect(await readFile(await download.path())).toEqual(contentOf(1024))
      expect(await buffer(await download.createReadStream())).toEqual(contentOf(1024))
    })
  })

  test('a download in a popup of a new context is saved', async () => {
    await bowline.withSession({ driver: playwright }, async ({ browser }) => {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(site.url('/downloads'))
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void window.open('about:blank')`)])
      const [download] = await Promise.all([
        popup.waitForEvent('download'),
        popup.evaluate(follow(site.url('/download?bytes=5000&name=x'))),
      ])

      expect(await readFile(await download.path())).toEqual(contentOf(5000))
    })
  })

  test('an interrupted download fails', async () => {
    await bowline.withSession({ driver: playwright }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.evaluate(follow(site.url('/download/broken'))),
      ])

      expect(await download.failure()).toBe('canceled')
      await expect(download.saveAs(join(folder, 'broken'))).rejects.toThrow('canceled')
    })
  })

  test('a cancelled download leaves no file behind', async () => {
    await bowline.withSession({ driver: playwright }, async ({ page, session }) => {
      await page.goto(site.url('/downloads'))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.evaluate(follow(site.url('/download/endless'))),
      ])

      await download.cancel()

      expect(await download.failure()).toBe('canceled')
      await expect.poll(async () => (await session.files.list())[0]).toMatchObject({ complete: false, size: 0 })
    })
  })

  test('a download over the quota is cancelled', async () => {
    await bowline.withSession({ driver: playwright }, async ({ page }) => {
      await page.goto(site.url('/downloads'))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.evaluate(follow(site.url('/download?bytes=21000000'))),
      ])

      expect(await download.failure()).toBe('canceled')
    })
  })

  test('buffers can be set on an input', async () => {
    const { result } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
      await page.goto(site.url('/upload'))
      await page.setInputFiles('input', { name: 'made.txt', mimeType: 'text/plain', buffer: Buffer.from('made up') })
      return submit(page)
    })

    expect(result).toEqual([{ name: 'made.txt', bytes: 7, sha256: sha256('made up') }])
  })
})

describe('with Puppeteer', () => {
  test('downloads with the same name are numbered, as in a local browser', async () => {
    await using saved = await emptyFolder()

    await bowline.withSession({ driver: puppeteer }, async ({ page }) => {
      const client = await page.createCDPSession()
      await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: saved.path })
      await page.goto(site.url('/downloads'))
      for (const bytes of [10, 20]) await page.evaluate(follow(site.url(`/download?bytes=${bytes}&name=a.txt`)))
      await expect.poll(async () => (await readdir(saved.path)).toSorted()).toEqual(['a (1).txt', 'a.txt'])
    })
  })

  test('downloads of two contexts go to the directory of each', async () => {
    await using first = await emptyFolder()
    await using second = await emptyFolder()

    await bowline.withSession({ driver: puppeteer }, async ({ browser }) => {
      for (const { path } of [first, second]) {
        const context = await browser.createBrowserContext({
          downloadBehavior: { policy: 'allow', downloadPath: path },
        })
        const page = await context.newPage()
        await page.goto(site.url('/downloads'))
        await page.evaluate(follow(site.url('/download?bytes=10&name=a.txt')))
      }
      await expect
        .poll(async () => [await readdir(first.path), await readdir(second.path)])
        .toEqual([['a.txt'], ['a.txt']])
    })
  })

  test('the deprecated Page.setDownloadBehavior works', async () => {
    await using saved = await emptyFolder()

    await bowline.withSession({ driver: puppeteer }, async ({ page }) => {
      const client = await page.createCDPSession()
      await client.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved.path })
      await page.goto(site.url('/downloads'))
      await page.click('#small')
      await expect.poll(() => readdir(saved.path)).toEqual(['small.bin'])
    })
  })
})

test('two clients of one session both receive each download', async () => {
  await using session = await bowline.sessions.create({ ttl: 60 })
  await using first = await playwright.connect(session)
  await using second = await playwright.connect(session)
  await first.page.goto(site.url('/downloads'))

  const [seenByFirst, seenBySecond] = await Promise.all([
    first.page.waitForEvent('download'),
    second.page.waitForEvent('download'),
    first.page.click('#small'),
  ])

  expect(await readFile(await seenByFirst.path())).toEqual(contentOf(1024))
  expect(await readFile(await seenBySecond.path())).toEqual(contentOf(1024))
})
