import { sessionProxy, type SessionProxy } from 'bowline/contract/session-network'
import { messageOf } from 'bowline/kit/message-of'
import { proxyServerOf } from '../browsers/flags.ts'
import type { Browser } from '../browsers/launch.ts'
import type { CdpCommand } from '../cdp/message.ts'
import type { Verdict } from './verdict.ts'

const name = 'Target.createBrowserContext'

/** The only bypass list that is accepted. It adds loopback addresses to what the proxy gets. */
const noBypass = '<-loopback>'

/**
 * Judges the creation of a browser context with a proxy: the server connects to the proxy itself,
 * so that its egress policy holds.
 */
export function judgeContextProxy(command: CdpCommand): Verdict {
  const { proxyServer, proxyBypassList = '', ...params } = command.params ?? {}
  if (!['', noBypass].includes(String(proxyBypassList))) {
    return refuse('`proxyBypassList` is not allowed, because it would bypass the egress policy')
  }
  if (proxyServer === undefined || proxyServer === '') return { kind: 'pass', command: { ...command, params } }
  const proxy = typeof proxyServer === 'string' ? parseProxy(proxyServer) : undefined
  return proxy === undefined
    ? refuse('`proxyServer` must be http://, https:// or socks5:// and a host with an optional port')
    : { kind: 'context-proxy', command: { ...command, params }, proxy }
}

function refuse(problem: string): Verdict {
  return { kind: 'refuse', message: `${name}: ${problem}` }
}

/** Parses a proxy as Chromium does: http is the default scheme. Undefined if it is invalid. */
function parseProxy(text: string): SessionProxy | undefined {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  // Chromium accepts a list of proxies by scheme, and other proxies as fallbacks.
  if (url === null || /[=;,]/.test(url.host)) return undefined
  const { data } = sessionProxy.safeParse({
    server: `${url.protocol}//${url.host}${url.pathname}${url.search}${url.hash}`,
    username: decode(url.username),
    password: decode(url.password),
  })
  return data
}

/** Null, which no field accepts, if a text is not percent-encoded UTF-8. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Opens the proxy of a browser context. Resolves to the command that creates the context, or to why
 * the proxy cannot be used.
 */
export async function openContextProxy(
  { proxy: endpoint }: Browser,
  command: CdpCommand,
  proxy: SessionProxy,
): Promise<CdpCommand | string> {
  if (endpoint?.openContext === undefined) return `${name}: the browser has no egress proxy`
  try {
    const { server, asksForCredentials } = await endpoint.openContext(proxy)
    const proxyServer = asksForCredentials ? server : proxyServerOf(server)
    return { ...command, params: { ...command.params, proxyServer, proxyBypassList: noBypass } }
  } catch (error) {
    return `${name}: the proxy of the context cannot be used: ${messageOf(error)}`
  }
}
