import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdir, mkdtempDisposable, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Download } from 'playwright-core'
import { Bowline, type Session } from '../../src/index.ts'
import { playwright, type PlaywrightHandles } from '../../src/playwright.ts'
import { puppeteer, type PuppeteerHandles } from '../../src/puppeteer.ts'
import { describeEachDriver, type SharedPage } from '../lab/drivers.ts'
import { startLab } from '../lab/lab.ts'
import { sendHtml } from '../lab/pages/page.ts'
import { startSite, type Site } from '../lab/site.ts'
import { contentOf, driverFiles, follow, sha256, type DriverFiles } from './driver-files.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let folder: string

// The tests of a driver share a session and its page.
let connected: {
  readonly playwright: PlaywrightHandles & { readonly session: Session }
  readonly puppeteer: PuppeteerHandles & { readonly session: Session }
} & Readonly<Record<string, unknown>>

beforeAll(async () => {
  const lab = fixture.use(await startLab({ maxFilesMb: 20 }))
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
  const bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  const [first, second] = await Promise.all([bowline.sessions.create(), bowline.sessions.create()])
  connected = {
    playwright: { ...fixture.use(await playwright.connect(first)), session: first },
    puppeteer: { ...fixture.use(await puppeteer.connect(second)), session: second },
  }
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
  let page: SharedPage
  let session: Session
  beforeAll(() => {
    ;({ page, session } = connected[driver.name] as { page: SharedPage; session: Session })
  })

  test('downloaded by a page, one after the other, are saved under their suggested names, sanitized', async () => {
    await using saved = await emptyFolder()
    const downloads: readonly (readonly [bytes: number, suggested: string, name: string])[] = [
      [300_000, 'report.pdf', 'report.pdf'],
      [1000, 'Bücher & Ähnliches (2).txt', 'Bücher & Ähnliches (2).txt'],
      [2000, '../../climbing.txt', '_.._climbing.txt'],
      [3000, 'a:b*c?.txt', 'a_b_c_.txt'],
      [10, 'no extension', 'no extension'],
      [10, '日本語.txt', '日本語.txt'],
    ]
    await page.goto(site.url('/downloads'))

    for (const [bytes, suggested, name] of downloads) {
      const url = site.url(`/download?bytes=${bytes}&name=${encodeURIComponent(suggested)}`)
      const path = await hands.download(page, url, saved.path, name)
      expect(path).toBe(join(saved.path, name))
      expect(await readFile(path)).toEqual(contentOf(bytes))
    }

    expect((await readdir(saved.path)).toSorted()).toEqual(downloads.map(([, , name]) => name).toSorted())
  })

  test('of the local disk can be set on an input, several at once', async () => {
    await page.goto(site.url('/upload'))
    await hands.upload(page, [join(folder, 'a.txt'), join(folder, 'bücher & mehr.txt')])

    expect(await submit(page)).toEqual([
      { name: 'a.txt', bytes: 5, sha256: sha256('first') },
      { name: 'bücher & mehr.txt', bytes: 6, sha256: sha256('second') },
    ])
  })

  test('of the local disk can be set on a file chooser', async () => {
    await page.goto(site.url('/upload'))
    await hands.choose(page, [join(folder, 'a.txt')])

    expect(await submit(page)).toEqual([{ name: 'a.txt', bytes: 5, sha256: sha256('first') }])
  })

  test('of a directory keep their relative paths', async () => {
    await page.goto(site.url('/upload/folder'))
    await hands.upload(page, [join(folder, 'tree')])
    // The browser lists the directory after it has responded to the command.
    await expect.poll(() => page.evaluate(`document.querySelector('input').files.length`)).toBe(2)
    const result = await page.evaluate<string[]>(
      `Promise.all([...document.querySelector('input').files].map(async (file) => file.webkitRelativePath + ': ' + await file.text()))`,
    )

    expect(result.toSorted()).toEqual(['tree/below/deep.txt: deep', 'tree/top.txt: top'])
  })

  // Rounds down to another millisecond if it is converted to seconds and back.
  const rounded = '2001-02-03T04:05:06.790Z'
  test.each(['2001-02-03T04:05:06.789Z', rounded, '1969-07-20T20:17:40.123Z'])(
    'keep their modification time %s, as single files and in a directory',
    async (time) => {
      const changedAt = new Date(time)
      await using old = await emptyFolder()
      await writeFile(join(old.path, 'old.txt'), 'old')
      await utimes(
        join(old.path, 'old.txt'),
        changedAt,
        String((changedAt.getTime() + Math.sign(changedAt.getTime()) * 0.5) / 1000),
      )
      const read = 'document.querySelector("input").files[0].lastModified'
      await page.goto(site.url('/upload'))

      await hands.upload(page, [join(old.path, 'old.txt')])
      const single = await page.evaluate<number>(read)
      await page.evaluate('document.querySelector("input").webkitdirectory = true')
      await hands.upload(page, [old.path])

      expect([single, await page.evaluate<number>(read)]).toEqual([changedAt.getTime(), changedAt.getTime()])
    },
  )

  test('that do not exist cause an error with their path', async () => {
    const missing = join(folder, 'missing.txt')
    await page.goto(site.url('/upload'))

    const error = await hands.upload(page, [missing]).catch((thrown: unknown) => thrown)

    expect(String(error)).toMatch(/ENOENT|The local file .* does not exist/)
    expect(String(error)).toContain(missing)
  })

  test('that are unchanged are uploaded once', async () => {
    await writeFile(join(folder, 'same.txt'), 'same')
    await page.goto(site.url('/upload'))
    await hands.upload(page, [join(folder, 'same.txt')])
    await hands.upload(page, [join(folder, 'same.txt')])

    expect((await submit(page)).map((file) => file.name)).toEqual(['same.txt'])
    expect((await session.files.list()).filter(({ name }) => name === 'same.txt')).toHaveLength(1)
  })

  test('that were rewritten with the same size and time are uploaded again', async () => {
    const path = join(folder, 'fixed-time.txt')
    await page.goto(site.url('/upload'))
    const seen: string[] = []
    for (const text of ['one', 'two']) {
      await writeFile(path, text)
      await utimes(path, 1e9, 1e9)
      await hands.upload(page, [path])
      seen.push(await page.evaluate<string>('document.querySelector("input").files[0].text()'))
    }

    expect(seen).toEqual(['one', 'two'])
  })

  test('over the quota of the session cause a library error and a warning', async () => {
    const big = join(folder, 'big.bin')
    await writeFile(big, Buffer.alloc(21_000_000))
    const warning = once(process, 'warning')
    await page.goto(site.url('/upload'))
    page.setDefaultTimeout(2000)

    const outcome = hands.upload(page, [big])

    await expect(outcome).rejects.toThrow(
      /The files of a session can have at most 20 MB in total|Timeout 2000ms exceeded/,
    )
    expect(await warning).toMatchObject([
      { message: expect.stringContaining('The files of a session can have at most 20 MB in total') as string },
    ])
    page.setDefaultTimeout(30_000)
  })
})

describe('with Playwright', () => {
  const atDownloads = async () => {
    const { page, session } = connected.playwright
    await page.goto(site.url('/downloads'))
    return { page, session }
  }
  const startDownload = async (path: string) => {
    const { page } = await atDownloads()
    const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(follow(site.url(path)))])
    return download
  }

  test('concurrent downloads each have their own content', async () => {
    const { page } = await atDownloads()
    const sizes = [400_000, 500_000, 600_000, 700_000]
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

  test('two clients of one session both receive each download, with a path, a stream and no failure', async () => {
    const { page, session } = await atDownloads()
    await using second = await playwright.connect(session)

    const downloads = await Promise.all([
      page.waitForEvent('download'),
      second.page.waitForEvent('download'),
      page.click('#small'),
    ])

    for (const download of downloads.slice(0, 2) as Download[]) {
      expect(download.suggestedFilename()).toBe('small.bin')
      expect(await download.failure()).toBeNull()
      expect(await readFile(await download.path())).toEqual(contentOf(1024))
      expect(await buffer(await download.createReadStream())).toEqual(contentOf(1024))
    }
  })

  test('a download in a popup of a new context is saved', async () => {
    await using context = await connected.playwright.browser.newContext()
    const page = await context.newPage()
    await page.goto(site.url('/downloads'))
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void window.open('about:blank')`)])
    const [download] = await Promise.all([
      popup.waitForEvent('download'),
      popup.evaluate(follow(site.url('/download?bytes=5000&name=x'))),
    ])

    expect(await readFile(await download.path())).toEqual(contentOf(5000))
  })

  test('an interrupted download fails', async () => {
    const download = await startDownload('/download/broken')

    expect(await download.failure()).toBe('canceled')
    await expect(download.saveAs(join(folder, 'broken'))).rejects.toThrow('canceled')
  })

  test('a cancelled download leaves no file behind', async () => {
    const download = await startDownload('/download/endless')

    await download.cancel()

    expect(await download.failure()).toBe('canceled')
    const stored = async () => (await connected.playwright.session.files.list()).find(({ name }) => name === 'endless')
    await expect.poll(stored).toMatchObject({ complete: false, size: 0 })
  })

  test('a download over the quota is cancelled', async () => {
    const download = await startDownload('/download?bytes=21000000')

    expect(await download.failure()).toBe('canceled')
  })

  test('buffers can be set on an input', async () => {
    const { page } = connected.playwright
    await page.goto(site.url('/upload'))
    await page.setInputFiles('input', { name: 'made.txt', mimeType: 'text/plain', buffer: Buffer.from('made up') })

    expect(await submit(page as unknown as SharedPage)).toEqual([
      { name: 'made.txt', bytes: 7, sha256: sha256('made up') },
    ])
  })
})

describe('with Puppeteer', () => {
  test('a download replaces a file with the same name, as in a local browser', async () => {
    await using saved = await emptyFolder()
    const path = join(saved.path, 'a.txt')
    await writeFile(path, 'before')
    const { page } = connected.puppeteer
    const client = await page.createCDPSession()
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: saved.path })

    await page.goto(site.url('/downloads'))
    for (const bytes of [10, 20]) {
      await page.evaluate(follow(site.url(`/download?bytes=${bytes}&name=a.txt`)))
      // A link that is followed before the download has begun would cancel it.
      await expect.poll(async () => readFile(path)).toEqual(contentOf(bytes))
    }
    expect(await readdir(saved.path)).toEqual(['a.txt'])

    await client.detach()
  })

  test('downloads of two contexts go to the directory of each', async () => {
    await using first = await emptyFolder()
    await using second = await emptyFolder()
    const { browser } = connected.puppeteer

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

  test('the deprecated Page.setDownloadBehavior works', async () => {
    await using saved = await emptyFolder()
    const { page } = connected.puppeteer
    const client = await page.createCDPSession()
    await client.send('Page.enable')
    await client.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved.path })
    const filesWhenCompleted = Promise.withResolvers<readonly string[]>()
    client.on('Page.downloadProgress', ({ state }) => {
      if (state === 'completed') filesWhenCompleted.resolve(readdirSync(saved.path))
    })

    await page.goto(site.url('/downloads'))
    await page.click('#small')

    expect(await filesWhenCompleted.promise).toEqual(['small.bin'])
  })
})
