import type { SessionNetwork } from 'bowline/contract/session-network'
import type { Browser } from '../browsers/launch.ts'
import { guardNavigations } from '../cdp/guard-navigations.ts'
import { createDomainRules, explainRefusal } from '../egress/domain-rules.ts'

/**
 * Applies the network options of a session to its browser, before a client can use it. The egress
 * proxy enforces them for all connections. Only rules for the pages of tabs alone are enforced in
 * the browser. Throws EGRESS_REFUSED or EGRESS_FAILED if the proxy of the session cannot be used.
 */
export async function restrictBrowser(browser: Browser, network: SessionNetwork): Promise<void> {
  const { allowedDomains, blockedDomains, proxy } = network
  if (allowedDomains === undefined && blockedDomains === undefined && proxy === undefined) return
  const endpoint = browser.proxy
  if (endpoint?.applyNetwork === undefined) throw new Error('The browser has no egress proxy to enforce the options')
  await endpoint.applyNetwork(network)
  const refusalOf = createDomainRules(network)?.navigationRefusalOf
  if (refusalOf === undefined) return
  await guardNavigations(browser.router, {
    isRefused: (url) => refusalOf(url) !== undefined,
    onRefused: (url) => endpoint.noteRefusedPage?.(explainRefusal(refusalOf(url) ?? 'allowedDomains')),
  })
}
