import { rethrowAbort } from 'bowline/kit/abort'
import { isBowlineError } from 'bowline/kit/errors'
import { statusToRetry } from '../fetch/loaded-page.ts'
import type { LoadRequest, PageLoader, LoadResult } from './page-loader.ts'

/** A loaded page and the kind of proxy that was used. */
export interface ProxiedLoad extends LoadResult {
  /** Whether the page came through the enhanced proxy. */
  readonly isEnhanced: boolean
}

/**
 * Loads a page over the proxy that its request asks for, or over the basic one if no enhanced proxy
 * is configured.
 * With `auto`, a page that fails or is blocked over the basic proxy is loaded again over the
 * enhanced one, unless it was its actions that led to a page with such a status.
 */
export async function loadWithProxy(loader: PageLoader, call: LoadRequest, hasEnhanced: boolean): Promise<ProxiedLoad> {
  const { proxy } = call.request
  if (hasEnhanced && asksForEnhancedProxy(proxy)) {
    const loaded = await loader.load(call, 'enhanced')
    return { ...loaded, isEnhanced: await loader.usesUpstream(call.request.url, 'enhanced', call.signal) }
  }
  if (proxy === 'basic' || !hasEnhanced) return { ...(await loader.load(call, 'basic')), isEnhanced: false }
  const first = await loader.load(call, 'basic').catch((error: unknown) => {
    rethrowAbort(call.signal, error)
    if (isBowlineError(error) && retryableCodes.has(error.code)) return error
    throw error
  })
  if (!isBowlineError(first) && !isBlocked(first)) return { ...first, isEnhanced: false }
  const second = await loader.load(call, 'enhanced').catch((error: unknown) => {
    rethrowAbort(call.signal, error)
    if (isBowlineError(first)) throw error
    return first
  })
  const isBetter = second !== first && !isBlocked(second)
  if (isBetter || isBowlineError(first)) {
    const isEnhanced = isBetter && (await loader.usesUpstream(call.request.url, 'enhanced', call.signal))
    return { ...second, isEnhanced }
  }
  return { ...first, isEnhanced: false }
}

/** Whether a request requires the enhanced proxy. */
export function asksForEnhancedProxy(proxy: string): boolean {
  return proxy === 'enhanced' || proxy === 'stealth'
}

/** Statuses that sites send to IP addresses they block. */
const blockedStatuses: ReadonlySet<number> = new Set([401, 403, 407, 429, 503])

function isBlocked({ page }: LoadResult): boolean {
  return blockedStatuses.has(statusToRetry(page))
}

/** Errors that may not occur over another proxy. */
const retryableCodes: ReadonlySet<string> = new Set([
  'SCRAPE_SITE_ERROR',
  'SCRAPE_SSL_ERROR',
  'SCRAPE_DNS_RESOLUTION_ERROR',
])
