import { access, constants, glob } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** `shell`: chromium-headless-shell, small and quick. `chromium`: the full browser. */
export type BrowserKind = 'shell' | 'chromium'

/** Environment variables, as read by the configuration. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A location where a browser may be installed. */
export interface BrowserLocation {
  /** Description of the location. Default: the path. */
  readonly name?: string
  /** Undefined if the search found no file. */
  readonly path: string | undefined
  /** Undefined if only the file itself shows it. */
  readonly kind?: BrowserKind
}

const debianPaths = {
  shell: '/usr/lib/chromium/chromium-headless-shell',
  chromium: '/usr/lib/chromium/chromium',
} as const

const namesOnPath = {
  shell: ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
} as const

const macApp = '*.app/Contents/MacOS/*'

// A cache has one folder per version, with one folder per platform in it.
const playwrightPatterns = {
  shell: ['chromium_headless_shell-*/*/{headless_shell,chrome-headless-shell}'],
  chromium: ['chromium-*/*/{chrome,chromium}', `chromium-*/*/${macApp}`],
} as const

const puppeteerPatterns = {
  shell: ['chrome-headless-shell/*/*/chrome-headless-shell'],
  chromium: ['chrome/*/*/chrome', `chrome/*/*/${macApp}`, 'chromium/*/*/chrome'],
} as const

/** All locations of one kind of browser, best first. */
export const browserLocations = async function* (
  kind: BrowserKind,
  environment: Environment,
): AsyncGenerator<BrowserLocation> {
  yield { path: debianPaths[kind] }
  for (const name of namesOnPath[kind]) yield { name: `${name} on PATH`, path: await onPath(name, environment) }
  for (const root of playwrightRoots(environment)) yield* newestFirst(root, playwrightPatterns[kind], kind)
  for (const root of puppeteerRoots(environment)) yield* newestFirst(root, puppeteerPatterns[kind], kind)
  if (kind === 'shell') yield* sparticuz()
}

async function onPath(name: string, environment: Environment): Promise<string | undefined> {
  const folders = (environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  for (const folder of folders) {
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

function playwrightRoots(environment: Environment): readonly string[] {
  return present(
    environment['PLAYWRIGHT_BROWSERS_PATH'],
    inHome(environment, '.cache/ms-playwright'),
    inHome(environment, 'Library/Caches/ms-playwright'),
  )
}

function puppeteerRoots(environment: Environment): readonly string[] {
  return present(environment['PUPPETEER_CACHE_DIR'], inHome(environment, '.cache/puppeteer'))
}

function inHome(environment: Environment, path: string): string | undefined {
  return environment['HOME'] === undefined ? undefined : join(environment['HOME'], path)
}

function present(...paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined).filter((path) => path.startsWith('/'))
}

const newestFirst = async function* (
  root: string,
  patterns: readonly string[],
  kind: BrowserKind,
): AsyncGenerator<BrowserLocation> {
  const found: string[] = []
  for (const pattern of patterns) {
    for await (const path of glob(pattern, { cwd: root })) found.push(path)
  }
  if (found.length === 0) yield { name: root, path: undefined }
  found.sort((left, right) => right.localeCompare(left, 'en', { numeric: true }))
  for (const path of found) yield { path: join(root, path), kind }
}

/**
 * The browser of the package `@sparticuz/chromium`, if installed. It unpacks itself into the
 * temporary folder.
 */
const sparticuz = async function* (): AsyncGenerator<BrowserLocation> {
  const name = '@sparticuz/chromium'
  try {
    createRequire(import.meta.url).resolve(name)
    const { default: chromium } = (await import(name)) as { default: { executablePath: () => Promise<string> } }
    yield { path: await chromium.executablePath(), kind: 'shell' }
  } catch {
    // The package is not installed, or cannot unpack itself.
    yield { name: `the package ${name}`, path: undefined }
  }
}
