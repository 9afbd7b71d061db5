import type { Page } from 'playwright-core'
import type { Pages } from './pages/page.ts'
import { sendScript } from './pages/page.ts'
import type { Site } from './site.ts'

/** Values that a site has stored in a browser, by kind of storage. `null` if none. */
export interface Memories {
  readonly persistentCookie: string | null
  readonly sessionCookie: string | null
  readonly localStorage: string | null
  readonly indexedDB: string | null
  /**
   * Response of the service worker. Its script URL contains the value, so it cannot be a new
   * worker.
   */
  readonly serviceWorker: string | null
}

/** A service worker that responds to `/remembered` with the value in its script URL. */
export const memoryPages: Pages = {
  '/memory-worker.js': (exchange) =>
    sendScript(
      exchange,
      `const value = new URL(location.href).searchParams.get('value')
       addEventListener('install', () => skipWaiting())
       addEventListener('activate', (event) => event.waitUntil(clients.claim()))
       addEventListener('fetch', (event) => {
         if (event.request.url.endsWith('/remembered')) event.respondWith(new Response(value))
       })`,
    ),
}

/** Stores `value` in every kind of storage of the site. */
export async function remember(page: Page, site: Site, value: string): Promise<void> {
  await page.goto(site.url('/storage'))
  await page.evaluate(`(async () => {
    await fetch('/cookies/set?name=persistent&value=${value}&maxAge=3600')
    await fetch('/cookies/set?name=session&value=${value}&httpOnly')
    await remember('${value}')
    const { installing, waiting, active } =
      await navigator.serviceWorker.register('/memory-worker.js?value=${value}')
    const worker = installing ?? waiting ?? active
    const { promise, resolve } = Promise.withResolvers()
    const onState = () => worker.state === 'activated' && resolve()
    worker.addEventListener('statechange', onState)
    onState()
    await promise
  })()`)
}

/** Reads every kind of storage of the site. */
export async function recall(page: Page, site: Site): Promise<Memories> {
  await page.goto(site.url('/storage'))
  return page.evaluate<Memories>(`(async () => {
    const { localStorage, indexedDB } = await recall()
    const cookies = await (await fetch('/cookies')).json()
    const answer = await fetch('/remembered')
    return {
      persistentCookie: cookies.persistent ?? null,
      sessionCookie: cookies.session ?? null,
      localStorage,
      indexedDB,
      serviceWorker: answer.ok ? await answer.text() : null,
    }
  })()`)
}

/** The expected result of `recall` after `remember`. */
export function memoriesOf(value: string | null): Memories {
  return {
    persistentCookie: value,
    sessionCookie: value,
    localStorage: value,
    indexedDB: value,
    serviceWorker: value,
  }
}
