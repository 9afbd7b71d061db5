import { rethrowAbort } from 'bowline/kit/abort'
import { isBowlineError } from 'bowline/kit/errors'
import type { LoadCall, PageLoader, ReadPage } from './page-loader.ts'

/** A page, and the proxy that it came by. */
export interface LoadedByProxy extends ReadPage {
  readonly isEnhanced: boolean
}

/** Statuses by which a site turns a reader away for where they come from. */
const blocked: ReadonlySet<number> = new Set([401, 403, 407, 429, 503])

/** Failures that another way out may not have. */
const siteFailures: ReadonlySet<string> = new Set([
  'SCRAPE_SITE_ERROR',
  'SCRAPE_SSL_ERROR',
  'SCRAPE_DNS_RESOLUTION_ERROR',
])

/** Whether only the enhanced proxy is asked for. */
export function isEnhancedProxy(proxy: string): boolean {
  return proxy === 'enhanced' || proxy === 'stealth'
}

/** Loads a page by the proxy of its request, the basic way where there is no other. `auto`: the basic one, and the enhanced one when that fails or is turned away. */
export async function loadByProxy(loader: PageLoader, call: LoadCall, hasEnhanced: boolean): Promise<LoadedByProxy> {
  const { proxy } = call.request
  if (hasEnhanced && isEnhancedProxy(proxy)) {
    const loaded = await loader.load(call, 'enhanced')
    return { ...loaded, isEnhanced: await loader.usesProxy(call.request.url, 'enhanced', call.signal) }
  }
  if (proxy === 'basic' || !hasEnhanced) return { ...(await loader.load(call, 'basic')), isEnhanced: false }
  const first = await loader.load(call, 'basic').catch((error: unknown) => {
    rethrowAbort(call.signal, error)
    if (isBowlineError(error) && siteFailures.has(error.code)) return error
    throw error
  })
  if (!isBowlineError(first) && !blocked.has(first.page.statusCode)) return { ...first, isEnhanced: false }
  const second = await loader.load(call, 'enhanced').catch((error: unknown) => {
    rethrowAbort(call.signal, error)
    if (isBowlineError(first)) throw error
    return first
  })
  const isBetter = second !== first && !blocked.has(second.page.statusCode)
  if (isBetter || isBowlineError(first)) {
    const isEnhanced = isBetter && (await loader.usesProxy(call.request.url, 'enhanced', call.signal))
    return { ...second, isEnhanced }
  }
  return { ...first, isEnhanced: false }
}
