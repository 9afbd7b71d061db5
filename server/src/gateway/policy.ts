import { resolve, sep } from 'node:path'
import type { CdpCommand } from '../cdp/message.ts'
import { parseCommand } from '../cdp/parse-command.ts'
import { extensionIdOf, type TargetKind } from '../cdp/internal-pages.ts'
import type { CdpSessionKind } from './cdp-session-kinds.ts'
import { judgeContextProxy } from './context-proxy.ts'
import { refusedUrlOf } from './dragged-urls.ts'
import { judgeInternalCommand } from './internal-page-policy.ts'
import { isExternal, isNavigable } from './navigable.ts'
import type { Verdict } from './verdict.ts'

/** State that the verdict on a command depends on. */
export interface PolicyContext {
  /** Folders of the session's files, as its browser sees them. */
  readonly downloadsDir: string
  readonly uploadsDir: string
  /** Ids of the extensions of the session, whose pages a client may open. Default: none. */
  readonly extensionIds?: readonly string[] | undefined
  /**
   * Id of the default context. Chromium reports it to clients but does not accept it in commands.
   */
  readonly defaultContextId?: string | undefined
  /**
   * Whether the browser opens files dropped on a page that does not handle them. Full Chromium
   * blocks `file:` URLs, the headless shell does not.
   */
  readonly opensDroppedFiles: boolean
  /**
   * Kind of target a session belongs to; without an id, the client's own session. Undefined if it
   * is not a session of the client.
   */
  readonly kindOfSession: (cdpSessionId: string | undefined) => CdpSessionKind | undefined
  readonly kindOfTarget: (targetId: string) => TargetKind
}

type Params = Readonly<Record<string, unknown>>
type Rule = (command: CdpCommand, params: Params, context: PolicyContext) => Verdict

/**
 * Judges a command of a client by its method and the target of its session. The security boundary
 * is the isolation of the browser process. This policy blocks commands that could bypass the egress
 * proxy, and gives clear errors. It also applies to commands nested in
 * `Target.sendMessageToTarget`. Commands without a rule pass. Commands to targets of unknown kind
 * never get here: `CdpSessionKinds` holds them.
 */
export function judgeCommand(command: CdpCommand, context: PolicyContext): Verdict {
  return context.kindOfSession(command.sessionId) === 'internal'
    ? judgeInternalCommand(command)
    : judgeByMethod(command, context)
}

function judgeByMethod(command: CdpCommand, context: PolicyContext): Verdict {
  const { method } = command
  const rule = rulesByMethod.get(method) ?? rulesByDomain.get(method.slice(0, method.indexOf('.')))
  return rule === undefined ? pass(command) : rule(command, command.params ?? {}, context)
}

function pass(command: CdpCommand): Verdict {
  return { kind: 'pass', command }
}
function refuse(message: string): Verdict {
  return { kind: 'refuse', message }
}

const refused: Rule = (command) => refuse(`${command.method} is not allowed in a Bowline session`)

/** Lets pages be navigated to links for other programs, which Chromium aborts. */
const pageNavigationRule: Rule = (command, params, context) =>
  typeof params['url'] === 'string' && isExternal(params['url'])
    ? pass(command)
    : navigationRule('url')(command, params, context)

/**
 * Refuses URLs in the named parameter except http, https, about:blank, data and blob, and pages of
 * the session's extensions.
 */
function navigationRule(name: string): Rule {
  return (command, params, { extensionIds = [] }) => {
    const url = params[name]
    if (url === undefined || url === '') return pass(command)
    if (typeof url === 'string' && isNavigable(url)) return pass(command)
    if (typeof url === 'string' && extensionIds.includes(extensionIdOf(url) ?? '')) return pass(command)
    if (typeof url === 'string' && !URL.canParse(url)) return refuse('Cannot navigate to invalid URL')
    return refuse(
      `${command.method} to ${JSON.stringify(url)} is not allowed: use http, https, about:blank, data or blob`,
    )
  }
}

/**
 * Stores downloads in the session's folder, regardless of the path that the client sends, each
 * under its guid: a site could suggest the same name for two downloads. Full Chromium crashes if
 * downloads are allowed without a path.
 */
const downloadRule: Rule = (command, { browserContextId, ...params }, context) =>
  pass({
    ...command,
    params: {
      ...params,
      ...(browserContextId === undefined || browserContextId === context.defaultContextId ? {} : { browserContextId }),
      ...('downloadPath' in params || String(params['behavior']).startsWith('allow')
        ? { downloadPath: context.downloadsDir }
        : {}),
      ...(params['behavior'] === 'allow' ? { behavior: 'allowAndName' } : {}),
    },
  })

function isInside(directory: string, path: unknown): boolean {
  return typeof path === 'string' && resolve(path) === path && path.startsWith(directory + sep)
}

function refuseFile(method: string, path: unknown): Verdict {
  return refuse(`${method}: ${JSON.stringify(path)} is not among the session's uploaded files`)
}

const uploadRule: Rule = (command, params, context) => {
  const files: unknown = params['files']
  const outside = Array.isArray(files) ? files.find((file) => !isInside(context.uploadsDir, file)) : undefined
  return outside === undefined ? pass(command) : refuseFile(command.method, outside)
}

/**
 * Checks data that a client drags into a page. The browser opens a dropped URL or file the page
 * does not handle. A page opened from a file may open every other file, and a client could read it
 * before `guardInternalPages` closes the tab.
 */
const dragRule: Rule = (command, params, context) => {
  const { files, items } = (params['data'] ?? {}) as { readonly files?: unknown; readonly items?: unknown }
  const refusedUrl = refusedUrlOf(Array.isArray(items) ? items : [])
  if (context.opensDroppedFiles && Array.isArray(files) && files.length > 0) {
    return refuse(
      `${command.method}: files cannot be dragged in the headless shell, which would open them: use DOM.setFileInputFiles, or full Chromium (--browser chromium)`,
    )
  }
  return refusedUrl === undefined
    ? uploadRule({ ...command, params }, { files }, context)
    : refuse(
        `${command.method}: ${JSON.stringify(refusedUrl)} cannot be dragged: use http, https, about:blank, data or blob`,
      )
}

/** Refuses contexts that bypass CORS, or the server's egress proxy. */
const contextRule: Rule = (command, params) =>
  'originsWithUniversalNetworkAccess' in params
    ? refuse('Target.createBrowserContext: originsWithUniversalNetworkAccess is not allowed in a Bowline session')
    : judgeContextProxy(command)

/** Refuses invalid path components, to which Chromium never responds. */
const directoryRule: Rule = (command, params) => {
  const { pathComponents } = (params['bucketFileSystemLocator'] ?? {}) as { readonly pathComponents?: unknown }
  const isName = (part: unknown): boolean => typeof part === 'string' && !/^\.{0,2}$|[/\\]/.test(part)
  return pathComponents === undefined || (Array.isArray(pathComponents) && pathComponents.every(isName))
    ? pass(command)
    : refuse(`${command.method}: \`pathComponents\` must be names of directories, without "..", "/" or "\\"`)
}

/**
 * Refuses internal targets, which the browser lists too: a session of one could open files and
 * pages that web pages cannot.
 */
const attachRule: Rule = (command, params, context) =>
  context.kindOfTarget(String(params['targetId'])) === 'internal'
    ? refuse(`${command.method} is not allowed on an internal page of the browser`)
    : pass(command)

/**
 * Refuses Fetch for the whole browser, which would also intercept requests of internal pages, such
 * as the code of the PDF viewer.
 */
const fetchRule: Rule = (command, _params, { kindOfSession }) =>
  kindOfSession(command.sessionId) === 'browser'
    ? refuse('Fetch.enable is not allowed for the whole browser: enable it in the session of a page')
    : pass(command)

const nestedCommandRule: Rule = (command, params, context) => {
  const inner = parseCommand(params['message'])
  if (inner === undefined) return refuse('Target.sendMessageToTarget: `message` is not a CDP command')
  const { sessionId: outer } = params
  // A `targetId` could select another session than the one judged here.
  if (typeof outer !== 'string' || 'targetId' in params) {
    return refuse('Target.sendMessageToTarget: identify the session by `sessionId` only')
  }
  const sessions = [outer, inner.sessionId ?? outer] as const
  const kinds = sessions.map((id) => context.kindOfSession(id))
  if (kinds.includes(undefined)) return refuse('No session with given id')
  const isWeb = kinds.every((kind) => kind === 'web')
  const verdict = isWeb ? judgeByMethod({ ...inner, sessionId: sessions[1] }, context) : judgeInternalCommand(inner)
  if (verdict.kind === 'browser-close') return refuse('Browser.close is not allowed inside Target.sendMessageToTarget')
  if (verdict.kind === 'refuse') return verdict
  if (verdict.kind !== 'pass') return refuse(`${inner.method} is not allowed inside Target.sendMessageToTarget here`)
  const message = JSON.stringify({ ...verdict.command, sessionId: inner.sessionId })
  return pass({ ...command, params: { ...params, message } })
}

const rules: Readonly<Record<string, Rule>> = {
  'Bowline.*': () => ({ kind: 'secret' }),
  'Browser.close': () => ({ kind: 'browser-close' }),
  'Browser.crash': refused,
  'Browser.crashGpuProcess': refused,
  'Browser.executeBrowserCommand': refused,
  'Browser.getBrowserCommandLine': refused,
  // They reveal internals of the machine and the browser, as SystemInfo does. No driver needs them.
  'Browser.getHistogram': refused,
  'Browser.getHistograms': refused,
  'Browser.setDownloadBehavior': downloadRule,
  'Cast.*': refused,
  'Cloudflare.*': () => ({ kind: 'handoff' }),
  'DOM.setFileInputFiles': uploadRule,
  'Extensions.*': refused,
  'Fetch.enable': fetchRule,
  'Fetch.continueRequest': navigationRule('url'),
  'FileSystem.getDirectory': directoryRule,
  'Input.dispatchDragEvent': dragRule,
  // Their module lists contain memory addresses, which help exploits. The counters and purges of
  // Memory are allowed: they affect one page or a browser that no other session uses.
  'Memory.getAllTimeSamplingProfile': refused,
  'Memory.getBrowserSamplingProfile': refused,
  'Memory.getSamplingProfile': refused,
  // Without memory pressure handling, a browser takes memory from others on the machine.
  'Memory.setPressureNotificationsSuppressed': refused,
  'Network.continueInterceptedRequest': navigationRule('url'),
  'Network.loadNetworkResource': navigationRule('url'),
  'PWA.*': refused,
  'Page.navigate': pageNavigationRule,
  'Page.setDownloadBehavior': downloadRule,
  // Security.setIgnoreCertificateErrors is allowed on purpose, because drivers implement
  // `ignoreHTTPSErrors` with it. It affects one target or the browser of one session, and the
  // egress policy still applies.
  'SystemInfo.*': refused,
  'Target.attachToTarget': attachRule,
  'Target.autoAttachRelated': attachRule,
  'Target.createBrowserContext': contextRule,
  'Target.createTarget': navigationRule('url'),
  'Target.exposeDevToolsProtocol': refused,
  // The DevTools window is an internal page, from which a client could navigate anywhere.
  'Target.openDevTools': refused,
  'Target.sendMessageToTarget': nestedCommandRule,
  'Target.setRemoteLocations': refused,
  'Tethering.*': refused,
  // Drivers record traces. A trace contains the browser's command line with its folders as the
  // browser sees them, which reveals nothing about the machine inside bubblewrap.
  'Tracing.start': (command, params) => {
    if ('perfettoConfig' in params)
      return refuse('Tracing.start: perfettoConfig is not allowed, because it can reference files')
    return params['tracingBackend'] === 'system'
      ? refuse('Tracing.start: the backend "system" is not allowed, because it traces the whole machine')
      : pass(command)
  },
}

const rulesByMethod: ReadonlyMap<string, Rule> = new Map(Object.entries(rules))

/** Rules for all methods of a domain. */
const rulesByDomain: ReadonlyMap<string, Rule> = new Map(
  Object.entries(rules).flatMap(([name, rule]) => (name.endsWith('.*') ? [[name.slice(0, -2), rule] as const] : [])),
)
