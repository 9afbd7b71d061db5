import { resolve, sep } from 'node:path'
import type { CdpCommand } from '../cdp/message.ts'
import { firstImportedId } from '../cdp/router.ts'
import type { TargetKind } from '../cdp/target-watch.ts'
import type { SessionKind } from './session-kinds.ts'
import { judgeInternalCommand } from './internal-target.ts'
import type { Verdict } from './verdict.ts'

/** What a command is judged by beside itself. */
export interface PolicyContext {
  /** Where a session's files may lie, as its browser sees it. */
  readonly downloadsDir: string
  readonly uploadsDir: string
  /** Chromium names its default context to clients, and does not find it by that name. */
  readonly defaultContextId?: string | undefined
  /** What a session of the client belongs to. Undefined when it is none of the client's. */
  readonly kindOfSession: (sessionId: string) => SessionKind | undefined
  readonly kindOfTarget: (targetId: string) => TargetKind
}

type Params = Readonly<Record<string, unknown>>
type Rule = (command: CdpCommand, params: Params, context: PolicyContext) => Verdict

/**
 * Decides on one command of a client, by its method and by the target that its session belongs to. The boundary is the
 * isolation of the browser process; this keeps clients from the parts of a browser that could reach around the egress
 * proxy, and gives clear answers. It holds for commands nested in `Target.sendMessageToTarget`, too.
 */
export function judgeCommand(command: CdpCommand, context: PolicyContext): Verdict {
  return command.sessionId !== undefined && context.kindOfSession(command.sessionId) === 'internal'
    ? judgeInternalCommand(command)
    : judgeByMethod(command, context)
}

function judgeByMethod(command: CdpCommand, context: PolicyContext): Verdict {
  const domain = command.method.slice(0, command.method.indexOf('.'))
  const rule = ruleOf(command.method) ?? ruleOf(`${domain}.*`)
  return rule === undefined ? pass(command) : rule(command, command.params ?? {}, context)
}

/** What every object inherits, such as `constructor`, is no rule. */
function ruleOf(name: string): Rule | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined
}

function pass(command: CdpCommand): Verdict {
  return { kind: 'pass', command }
}
function refuse(message: string): Verdict {
  return { kind: 'refuse', message }
}

const refused: Rule = (command) => refuse(`${command.method} is not allowed in a Bowline session`)

/** Schemes a client may navigate to; `about:` only as `about:blank`. */
const navigable = new Set(['http:', 'https:', 'data:', 'blob:'])

function isNavigable(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, pathname } = new URL(url)
  return navigable.has(protocol) || (protocol === 'about:' && pathname === 'blank')
}

/** Refuses addresses outside http, https, about:blank, data and blob in the named parameter. */
function navigates(name: string): Rule {
  return (command, params) => {
    const url = params[name]
    if (url === undefined || url === '') return pass(command)
    if (typeof url === 'string' && isNavigable(url)) return pass(command)
    if (typeof url === 'string' && !URL.canParse(url)) return refuse('Cannot navigate to invalid URL')
    return refuse(
      `${command.method} to ${JSON.stringify(url)} is not allowed: use http, https, about:blank, data or blob`,
    )
  }
}

/** Downloads land in the session's directory, whatever path the client names, each under its guid: a name that a site suggests cannot be the name of another download. */
const downloads: Rule = (command, { browserContextId, ...params }, context) =>
  pass({
    ...command,
    params: {
      ...params,
      ...(browserContextId === undefined || browserContextId === context.defaultContextId ? {} : { browserContextId }),
      ...('downloadPath' in params ? { downloadPath: context.downloadsDir } : {}),
      ...(params['behavior'] === 'allow' ? { behavior: 'allowAndName' } : {}),
    },
  })

function isInside(directory: string, path: unknown): boolean {
  return typeof path === 'string' && resolve(path) === path && path.startsWith(directory + sep)
}

function refuseForeignFile(method: string, path: unknown): Verdict {
  return refuse(`${method}: ${JSON.stringify(path)} is not among the session's uploaded files`)
}

const uploads: Rule = (command, params, context) => {
  const files: unknown = params['files']
  const foreign = Array.isArray(files) ? files.find((file) => !isInside(context.uploadsDir, file)) : undefined
  return foreign === undefined ? pass(command) : refuseForeignFile(command.method, foreign)
}

/** What a client drags into a page. A browser opens an address that a page does not take, from any scheme. */
const drags: Rule = (command, params, context) => {
  const { files, items } = (params['data'] ?? {}) as { readonly files?: unknown; readonly items?: unknown }
  const addresses = (Array.isArray(items) ? items : []).flatMap(addressesOf)
  const foreign = addresses.find((url) => !isNavigable(url))
  return foreign === undefined
    ? uploads({ ...command, params }, { files }, context)
    : refuse(
        `${command.method}: ${JSON.stringify(foreign)} may not be dragged: use http, https, about:blank, data or blob`,
      )
}

/** Addresses that a dragged item holds, one a line. A line that begins with "#" is a comment. */
function addressesOf(item: unknown): readonly string[] {
  const { mimeType, data } = (item ?? {}) as { readonly mimeType?: unknown; readonly data?: unknown }
  if (typeof mimeType !== 'string' || !/uri-list|url/i.test(mimeType)) return []
  return String(data)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** A context with a proxy of its own would go round the server's egress policy. */
const createsContext: Rule = (command, params) => {
  if ('proxyServer' in params || 'proxyBypassList' in params) {
    return refuse(
      'Target.createBrowserContext: a proxy per context is not allowed, because it would go round the egress policy',
    )
  }
  return 'originsWithUniversalNetworkAccess' in params
    ? refuse('Target.createBrowserContext: originsWithUniversalNetworkAccess is not allowed in a Bowline session')
    : pass(command)
}

/** Chromium does not answer when a step leads nowhere. */
const readsDirectory: Rule = (command, params) => {
  const { pathComponents } = (params['bucketFileSystemLocator'] ?? {}) as { readonly pathComponents?: unknown }
  const isStep = (step: unknown): boolean => typeof step === 'string' && !/^\.{0,2}$|[/\\]/.test(step)
  return pathComponents === undefined || (Array.isArray(pathComponents) && pathComponents.every(isStep))
    ? pass(command)
    : refuse(`${command.method}: \`pathComponents\` must be names of directories, without "..", "/" or "\\"`)
}

/** The browser lists its own targets, too: a session of one could open files and pages that no web page can. */
const attaches: Rule = (command, params, context) =>
  context.kindOfTarget(String(params['targetId'])) === 'internal'
    ? refuse(`${command.method}: the target is not a web page but a part of the browser`)
    : pass(command)

/** For the browser as a whole, Fetch would hand over the requests of its own parts, such as the code of the PDF viewer. */
const interceptsRequests: Rule = (command, _params, { kindOfSession }) =>
  command.sessionId === undefined || kindOfSession(command.sessionId) === 'browser'
    ? refuse('Fetch.enable is not allowed for the whole browser: enable it in the session of a page')
    : pass(command)

const nested: Rule = (command, params, context) => {
  const inner = parseCommand(params['message'])
  if (inner === undefined) return refuse('Target.sendMessageToTarget: the message is not a CDP command')
  const { sessionId: outer } = params
  // Named by its target alone, the session would be one that was not judged.
  if (typeof outer !== 'string' || 'targetId' in params) {
    return refuse('Target.sendMessageToTarget: name the session by `sessionId` alone')
  }
  const sessions = [outer, inner.sessionId ?? outer] as const
  const kinds = sessions.map((id) => context.kindOfSession(id))
  if (kinds.includes(undefined)) return refuse('No session with given id')
  const isWeb = kinds.every((kind) => kind === 'web')
  const verdict = isWeb ? judgeByMethod({ ...inner, sessionId: sessions[1] }, context) : judgeInternalCommand(inner)
  if (verdict.kind === 'answer') return refuse(`${inner.method} is not allowed inside Target.sendMessageToTarget here`)
  if (verdict.kind === 'browser-close') return refuse('Browser.close is not allowed inside Target.sendMessageToTarget')
  if (verdict.kind === 'refuse') return verdict
  const message = JSON.stringify({ ...verdict.command, sessionId: inner.sessionId })
  return pass({ ...command, params: { ...params, message } })
}

const rules: Readonly<Record<string, Rule>> = {
  'Browser.close': () => ({ kind: 'browser-close' }),
  'Browser.crash': refused,
  'Browser.crashGpuProcess': refused,
  'Browser.executeBrowserCommand': refused,
  'Browser.getBrowserCommandLine': refused,
  // They tell of the machine and of the browser's inner life, as SystemInfo does. No driver asks for them.
  'Browser.getHistogram': refused,
  'Browser.getHistograms': refused,
  'Browser.setDownloadBehavior': downloads,
  'Cast.*': refused,
  'DOM.setFileInputFiles': uploads,
  'Extensions.*': refused,
  'Fetch.enable': interceptsRequests,
  'Fetch.continueRequest': navigates('url'),
  'FileSystem.getDirectory': readsDirectory,
  'Input.dispatchDragEvent': drags,
  // Their modules have addresses, which an exploit would need. The counters and purges of Memory are for one page, or
  // for a browser that no other session has.
  'Memory.getAllTimeSamplingProfile': refused,
  'Memory.getBrowserSamplingProfile': refused,
  'Memory.getSamplingProfile': refused,
  // Without relief a browser takes memory from the others of the machine.
  'Memory.setPressureNotificationsSuppressed': refused,
  'Network.continueInterceptedRequest': navigates('url'),
  'Network.loadNetworkResource': navigates('url'),
  'PWA.*': refused,
  'Page.navigate': navigates('url'),
  'Page.setDownloadBehavior': downloads,
  // Passed on purpose: Security.setIgnoreCertificateErrors, by which drivers implement `ignoreHTTPSErrors`. It holds for
  // one target or for the browser of one session, and the egress policy stands behind it.
  'SystemInfo.*': refused,
  'Target.attachToTarget': attaches,
  'Target.autoAttachRelated': attaches,
  'Target.createBrowserContext': createsContext,
  'Target.createTarget': navigates('url'),
  'Target.exposeDevToolsProtocol': refused,
  // Its window is a page of the browser's own, from which a client could go anywhere.
  'Target.openDevTools': refused,
  'Target.sendMessageToTarget': nested,
  'Target.setRemoteLocations': refused,
  'Tethering.*': refused,
  // Drivers record traces. One tells the command line of the browser, which names its folders as the browser sees them:
  // inside bubblewrap they tell nothing of the machine.
  'Tracing.start': (command, params) =>
    'perfettoConfig' in params
      ? refuse('Tracing.start: perfettoConfig is not allowed, because it may name files')
      : pass(command),
}

/**
 * Ids that can be answered: Chromium answers one outside 32 bits without its id, for which a client would wait for ever,
 * and the server numbers its own commands above. Reads of larger ones succeed, so that the refusal can name the id.
 */
export function isAnswerableId(id: number): boolean {
  return id >= -(2 ** 31) && id < firstImportedId
}

/** Reads a command from JSON text; undefined when it is none. */
export function parseCommand(text: unknown): CdpCommand | undefined {
  if (typeof text !== 'string') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { id, method, params, sessionId } = value as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof method !== 'string') return undefined
  if (params !== undefined && (typeof params !== 'object' || params === null)) return undefined
  if (sessionId !== undefined && typeof sessionId !== 'string') return undefined
  return { id: id as number, method, params: params as Params | undefined, sessionId }
}
