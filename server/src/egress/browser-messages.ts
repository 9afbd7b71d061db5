import { parseJsonObject } from 'bowline/kit/parse-json'
import type { HostPort } from './host-port.ts'
import {
  closedWithoutResponse,
  netErrorNumbers,
  netErrors,
  rejectedHeads,
  tunnelFailures,
  type NetError,
} from './net-errors.ts'

/**
 * Time after a failure in which its CDP messages may still arrive, in milliseconds. A client that
 * reads slowly delays them.
 */
const failureMs = 300_000

/** The same after the host has accepted a connection: later errors may be caused by the site. */
const recoveredMs = 30_000

/** Maximum number of hosts whose addresses are remembered. */
const maxHosts = 2000

/** Maximum length of a name that SOCKS5 can carry. For longer ones, Chromium asks no proxy. */
const maxSocksName = 255

/** Number of bytes that hold the origin of a URL. */
const maxOriginBytes = 512

/** Number of bytes of a response that are searched for an error. */
const responseStartBytes = 256

const events = {
  authRequired: Buffer.from('{"method":"Fetch.authRequired"'),
  failed: Buffer.from('{"method":"Network.loadingFailed"'),
  log: Buffer.from('{"method":"Log.entryAdded"'),
  nested: Buffer.from('{"method":"Target.receivedMessageFromTarget"'),
  paused: Buffer.from('{"method":"Fetch.requestPaused"'),
  request: Buffer.from('{"method":"Network.requestWillBeSent"'),
  response: Buffer.from('{"method":"Network.responseReceived"'),
  socket: Buffer.from('{"method":"Network.webSocketFrameError"'),
  socketCreated: Buffer.from('{"method":"Network.webSocketCreated"'),
}
const commandResponse = Buffer.from('{"id":')
/** The response to a failed `Page.navigate`. Results of scripts have another key first. */
const failedNavigation = /^\{"id":\d+,"result":\{"frameId":"[^"]*",(?:"loaderId":"[^"]*",)?"errorText":"net::/
/** The response to a failed `Network.loadNetworkResource`. */
const failedResource = /^\{"id":\d+,"result":\{"resource":\{"success":false,"netError":-\d+,"netErrorName":"net::/
const responseKeys = {
  response: Buffer.from('"response":{"url":"'),
  request: Buffer.from('"redirectResponse":{"url":"'),
  sent: Buffer.from('"request":{"url":"'),
  socket: Buffer.from('"url":"'),
}
const interceptionId = /"requestId":"([^"]+)"/
const networkId = Buffer.from('"networkId":"')
const requestId = /"(?:requestId|loaderId|networkRequestId|networkId)":"([^"]+)"/
/** The URL of a WebSocket in the console, whose entry has no id of a request. */
const webSocketUrl = Buffer.from(`"WebSocket connection to '`)
/** The key before the origin of a proxy in `Fetch.authRequired`. */
const proxyChallenge = Buffer.from('"source":"Proxy","origin":"')
/** The reason that Chromium reports for a rejected response head in `Fetch.requestPaused`. */
const failedReason = Buffer.from('"responseErrorReason":"Failed"')
/** Reasons in `Fetch.requestPaused`. It reports other net errors as `Failed`. */
const reasons: ReadonlyMap<NetError, string> = new Map([
  ['ERR_ADDRESS_UNREACHABLE', 'AddressUnreachable'],
  ['ERR_CONNECTION_REFUSED', 'ConnectionRefused'],
  ['ERR_NAME_NOT_RESOLVED', 'NameNotResolved'],
])

/** Maps the error Chromium reports for a rejected response head to the possible net errors. */
const actualErrors: ReadonlyMap<string, readonly NetError[]> = new Map<string, readonly NetError[]>([
  ...[...rejectedHeads].flatMap(([netError, { reportedAs }]) => reportedAs.map((each) => [each, [netError]] as const)),
  ['ERR_SOCKS_CONNECTION_FAILED', [...tunnelFailures, 'ERR_NAME_NOT_RESOLVED']] as const,
  ['ERR_TUNNEL_CONNECTION_FAILED', ['ERR_PROXY_CONNECTION_FAILED']] as const,
  ['ERR_EMPTY_RESPONSE', [...closedWithoutResponse]] as const,
])

/** A CDP command of a client. */
interface SentCommand {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** Explanation of `ERR_BLOCKED_BY_ADMINISTRATOR`, unless a rule of the session refused the host. */
const policyExplanation =
  'blocked by the egress policy of the Bowline server; its operator can allow the address with --allow'

/**
 * Removes traces of the egress proxy from the CDP messages of one browser: failures get the error
 * codes, and responses the addresses, of a direct connection. Chromium writes keys in a fixed order
 * and escapes quotes in values, so messages are searched instead of parsed. Most are decided by
 * their first bytes.
 */
export class BrowserMessages {
  /**
   * Addresses at which the browser connects to the proxy, such as `127.0.0.1:40123`, with the
   * origin of the proxy that a client has chosen for its context.
   */
  readonly proxies = new Map<string, string | undefined>()
  readonly #failures = new Map<NetError, number>()
  #lastFailureMs = Number.NEGATIVE_INFINITY
  /** Explains the last refused connection. */
  #refusalExplanation = policyExplanation
  /** Explains a refused page until the response to its navigation. */
  #refusedPageExplanation: string | undefined
  /** Last failure by host and port. */
  readonly #failedTargets = new Map<string, Failure>()
  /** Addresses by host and port. Undefined behind an upstream proxy. */
  readonly #addresses = new Map<string, string | undefined>()

  /** Request ids by interception id. */
  readonly #intercepted = new Map<string, string>()

  /** Host and port by request id. Only of clients that have enabled the Network domain. */
  readonly #requests = new Map<string, string>()

  /**
   * Records that the proxy reported a failure to the browser. `explanation`: of a refusal by the
   * rules of the session.
   */
  noteFailure(netError: NetError, target: HostPort | undefined, explanation?: string): void {
    this.#lastFailureMs = performance.now()
    if (netError === 'ERR_BLOCKED_BY_ADMINISTRATOR') this.#refusalExplanation = explanation ?? policyExplanation
    this.#failures.set(netError, this.#lastFailureMs)
    if (target === undefined) return
    const untilMs = this.#lastFailureMs + failureMs
    setLast(this.#failedTargets, keyOf(target.host, target.port), { netError, untilMs })
  }

  /** Records that the request for the page of a tab was refused in the browser. */
  noteRefusedPage(explanation: string): void {
    this.#lastFailureMs = performance.now()
    this.#refusedPageExplanation = explanation
  }

  /**
   * Records the host to which a client redirects an intercepted request. Events of the request keep
   * its original URL.
   */
  noteCommand({ method, params = {} }: SentCommand): void {
    if (method === 'Target.sendMessageToTarget') {
      const inner = parseJsonObject(String(params['message']))
      if (typeof inner?.['method'] === 'string') this.noteCommand(inner as unknown as SentCommand)
    }
    if (method !== 'Fetch.continueRequest' || typeof params['url'] !== 'string') return
    const url = URL.parse(params['url'])
    const id = this.#intercepted.get(String(params['requestId']))
    if (url !== null && id !== undefined) setLast(this.#requests, id, keyOf(url.hostname, portOf(url)))
  }

  /** Records the address a host was connected at. */
  noteConnection({ host, port }: HostPort, address: string | undefined): void {
    const key = keyOf(host, port)
    setLast(this.#addresses, key, address)
    const failure = this.#failedTargets.get(key)
    const untilMs = performance.now() + recoveredMs
    if (failure !== undefined && untilMs < failure.untilMs) this.#failedTargets.set(key, { ...failure, untilMs })
  }

  /** Returns the message as a browser without a proxy would send it. */
  readonly rewrite = (message: Buffer): Buffer => {
    if (startsWith(message, events.nested)) return this.#rewriteNested(message)
    if (startsWith(message, events.authRequired)) return this.#rewriteChallenge(message)
    if (startsWith(message, events.response)) return this.#rewriteAddress(message, responseKeys.response)
    if (startsWith(message, events.request)) {
      this.#noteRequest(message, responseKeys.sent)
      return this.#rewriteAddress(message, responseKeys.request)
    }
    if (startsWith(message, events.paused)) this.#noteInterception(message)
    if (startsWith(message, events.socketCreated)) this.#noteRequest(message, responseKeys.socket)
    if (performance.now() - this.#lastFailureMs > failureMs) return message
    if (startsWith(message, commandResponse)) {
      const start = message.toString('latin1', 0, responseStartBytes)
      if (failedNavigation.test(start)) return this.#rewriteError(message, true)
      return failedResource.test(start) ? this.#rewriteResource(message) : message
    }
    if (startsWith(message, events.paused)) return this.#rewriteReason(message)
    const isMisreported =
      startsWith(message, events.failed) || startsWith(message, events.log) || startsWith(message, events.socket)
    return isMisreported ? this.#rewriteError(message, false) : message
  }

  /** Rewrites a message of a session without `flatten`: text in an event of its parent. */
  #rewriteNested(message: Buffer): Buffer {
    const event = parseJsonObject(message.toString())
    const params = event?.['params'] as Record<string, unknown> | undefined
    if (typeof params?.['message'] !== 'string') return message
    const inner = Buffer.from(params['message'])
    const rewritten = this.rewrite(inner)
    if (rewritten === inner) return message
    return Buffer.from(JSON.stringify({ ...event, params: { ...params, message: rewritten.toString() } }))
  }

  /** Records the host of a request. A redirect keeps the id of its request. */
  #noteRequest(message: Buffer, urlKey: Buffer): void {
    const [, id] = requestId.exec(message.toString('latin1', 0, responseStartBytes)) ?? []
    const url = urlAfter(message, urlKey)
    if (id === undefined || url === null) return
    const target = { host: url.hostname, port: portOf(url) }
    setLast(this.#requests, id, keyOf(target.host, target.port))
    if (target.host.length > maxSocksName) this.noteFailure('ERR_NAME_NOT_RESOLVED', target)
  }

  #noteInterception(message: Buffer): void {
    const [, id] = interceptionId.exec(message.toString('latin1', 0, responseStartBytes)) ?? []
    const at = message.lastIndexOf(networkId)
    const [, request] = requestId.exec(message.toString('latin1', at, at + responseStartBytes)) ?? []
    if (id !== undefined && at !== -1 && request !== undefined) setLast(this.#intercepted, id, request)
  }

  /**
   * Whether the proxy has reported this failure for the host of the request, or for any host if the
   * host is unknown. Otherwise the site itself sent a malformed head.
   */
  #hasFailed(netError: NetError, { id, socket }: FailedRequest): boolean {
    const target =
      (id === undefined ? undefined : this.#requests.get(id)) ?? (socket === null ? undefined : keyOfUrl(socket))
    const failure = target === undefined ? undefined : this.#failedTargets.get(target)
    if (target !== undefined) return failure?.netError === netError && isRecent(failure)
    const atMs = this.#failures.get(netError)
    return atMs !== undefined && performance.now() - atMs <= failureMs
  }

  #rewriteError(message: Buffer, isExplained: boolean): Buffer {
    const text = message.toString('latin1')
    const rewritten = text.replace(/net::(ERR_[A-Z_]+)/, (match, reported: string) => {
      if (reported === 'ERR_BLOCKED_BY_CLIENT' && isExplained) return this.#explainRefusedPage(match)
      const request = { id: requestId.exec(text)?.[1], socket: urlAfter(message, webSocketUrl) }
      const real = actualErrors.get(reported)?.find((each) => this.#hasFailed(each, request))
      if (real === undefined) return match
      const isRefusal = isExplained && real === 'ERR_BLOCKED_BY_ADMINISTRATOR'
      return `net::${real}${isRefusal ? ` (${this.#refusalExplanation})` : ''}`
    })
    return rewritten === text ? message : Buffer.from(rewritten, 'latin1')
  }

  /** Replaces the name and the number of the error. */
  #rewriteResource(message: Buffer): Buffer {
    const rewritten = this.#rewriteError(message, false)
    const text = rewritten.toString('latin1')
    const name = /"netErrorName":"net::(ERR_[A-Z_]+)/.exec(text)?.[1]
    const number = netErrors.includes(name as NetError) ? netErrorNumbers[name as NetError] : undefined
    if (rewritten === message || number === undefined) return message
    return Buffer.from(text.replace(/"netError":-\d+/, `"netError":${number}`), 'latin1')
  }

  /** Names the proxy of the client as the origin of its request for credentials. */
  #rewriteChallenge(message: Buffer): Buffer {
    const at = message.indexOf(proxyChallenge)
    if (at === -1) return message
    const start = at + proxyChallenge.length
    const end = message.indexOf('"', start)
    const origin = this.proxies.get(message.toString('latin1', start, end).replace(/^http:\/\//, ''))
    return origin === undefined
      ? message
      : Buffer.concat([message.subarray(0, start), Buffer.from(origin), message.subarray(end)])
  }

  #explainRefusedPage(text: string): string {
    const explanation = this.#refusedPageExplanation
    this.#refusedPageExplanation = undefined
    return explanation === undefined ? text : `${text} (${explanation})`
  }

  /** Only `Fetch.requestPaused` names no net error, so the failure is found by the URL. */
  #rewriteReason(message: Buffer): Buffer {
    const at = message.indexOf(failedReason)
    const url = at === -1 ? null : urlAfter(message, responseKeys.sent)
    if (url === null) return message
    const failure = this.#failedTargets.get(keyOf(url.hostname, portOf(url)))
    const reason = failure && isRecent(failure) ? reasons.get(failure.netError) : undefined
    if (reason === undefined) return message
    const rewritten = Buffer.from(`"responseErrorReason":"${reason}"`)
    return Buffer.concat([message.subarray(0, at), rewritten, message.subarray(at + failedReason.length)])
  }

  /** Finds the address of the proxy in a message. */
  #findProxy(message: Buffer): readonly [text: string, at: number] {
    for (const proxy of this.proxies.keys()) {
      const text = `"remoteIPAddress":"${proxy.replace(':', '","remotePort":')},`
      const at = message.indexOf(text)
      if (at !== -1) return [text, at]
    }
    return ['', -1]
  }

  #rewriteAddress(message: Buffer, responseKey: Buffer): Buffer {
    const [proxy, at] = this.#findProxy(message)
    const url = at === -1 ? null : urlAfter(message, responseKey)
    if (url === null) return message
    // A client can have redirected the request, which keeps its URL. An event of a redirect is about
    // the request before.
    const [, id = ''] = requestId.exec(message.toString('latin1', 0, responseStartBytes)) ?? []
    const target = (responseKey === responseKeys.response && this.#requests.get(id)) || keyOfUrl(url)
    const port = target.slice(target.lastIndexOf(':') + 1)
    const address = this.#addresses.get(target)
    const remote = address === undefined ? '' : `"remoteIPAddress":"${inBrackets(address)}","remotePort":${port},`
    return Buffer.concat([message.subarray(0, at), Buffer.from(remote), message.subarray(at + proxy.length)])
  }
}

/** The origin of a URL in JSON. A host can have quotes, which are escaped. */
const originStart = /^\w+:\/\/(?:[^/?#"\\]|\\")+/

/** Parses the origin of the URL that follows a key. Null if the URL has no host. */
function urlAfter(message: Buffer, key: Buffer): URL | null {
  const keyStart = message.indexOf(key)
  if (keyStart === -1) return null
  const start = keyStart + key.length
  const [origin = ''] = originStart.exec(message.toString('latin1', start, start + maxOriginBytes)) ?? []
  return URL.parse(origin.replaceAll('\\"', '"'))
}

/** The last failed connection to a host. */
interface Failure {
  readonly netError: NetError
  /** When its messages have arrived. */
  readonly untilMs: number
}

function isRecent({ untilMs }: Failure): boolean {
  return performance.now() <= untilMs
}

/** Facts in a message about the failed request. */
interface FailedRequest {
  readonly id: string | undefined
  /** Origin of a WebSocket. */
  readonly socket: URL | null
}

function keyOfUrl(url: URL): string {
  return keyOf(url.hostname, portOf(url))
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (/^(?:https|wss):/.test(protocol) ? 443 : 80))
}

/** Adds an entry of a host, and removes the oldest of too many. */
function setLast<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key)
  entries.set(key, value)
  const oldest = entries.size > maxHosts ? entries.keys().next().value : undefined
  if (oldest !== undefined) entries.delete(oldest)
}

/** Puts an IPv6 address in brackets, as Chromium writes it. */
function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

/** Chromium escapes characters of a host that `URL` does not. */
function keyOf(host: string, port: number): string {
  const name = host.startsWith('[') ? host : inBrackets(host)
  return `${URL.parse(`http://${name}`)?.hostname ?? name}:${port}`
}

function startsWith(message: Buffer, start: Buffer): boolean {
  return message.length > start.length && message.compare(start, 0, start.length, 0, start.length) === 0
}
