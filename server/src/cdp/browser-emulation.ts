import type { CdpCommand } from './message.ts'
import type { CdpParams } from './protocol.ts'
import type { CdpRouter } from './router.ts'
import { attachToBrowser, autoAttach, type AttachedTarget, type CdpSession } from './targets.ts'
import { userAgentOverride } from './user-agent.ts'

/** The parts of an emulation that a browser accepts by CDP only. */
export interface EmulationSettings {
  /** Language tags in order of preference. Undefined: those of the browser. */
  readonly languages?: readonly string[] | undefined
  readonly userAgent?: string | undefined
  readonly geolocation?: CdpParams<'Emulation.setGeolocationOverride'> | undefined
}

/** The session of a client with a target, in which it sends a command. */
export interface ClientTarget {
  readonly client: object
  readonly targetId: string
  /** Undefined: the client's own session. */
  readonly cdpSessionId: string | undefined
}

type UserAgentParams = CdpParams<'Emulation.setUserAgentOverride'>
type Feature = 'locale' | 'userAgent' | 'geolocation'

/**
 * Milliseconds between attempts to set the locale of a process. Chromium reports the end of a
 * target before the process has released its locale.
 */
const localeRetryDelaysMs: readonly number[] = [50, 200, 800, 3000]

const pageTypes: ReadonlySet<string> = new Set(['page', 'iframe'])

/** Commands that set or reset an emulation, and the feature they belong to. */
const features: ReadonlyMap<string, Feature> = new Map([
  ['Emulation.setLocaleOverride', 'locale'],
  ['Emulation.setUserAgentOverride', 'userAgent'],
  ['Network.setUserAgentOverride', 'userAgent'],
  ['Emulation.setGeolocationOverride', 'geolocation'],
  ['Emulation.clearGeolocationOverride', 'geolocation'],
])

/**
 * Emulates a locale, a user agent and a position in all targets of a browser: those that exist, and
 * new ones before their first script. A client's own emulation replaces it in its targets.
 */
export class BrowserEmulation {
  readonly #browser: CdpSession
  readonly #settings: EmulationSettings
  readonly #defaultContextId: string | undefined
  readonly #targets = new Set<AttachedTarget>()
  /**
   * Targets in whose process another target has set the locale. A process has one locale, which
   * ends with the session that has set it.
   */
  readonly #withoutLocale = new Set<AttachedTarget>()
  /** Number of clients that are setting a locale in a process that had that of the session. */
  #yielding = 0
  #localeRetry: NodeJS.Timeout | undefined
  /** The sessions of clients that emulate a feature, by feature and target. */
  readonly #clients = new Map<string, ClientTarget & { readonly feature: Feature }>()
  /** Contexts whose pages may read the position. */
  readonly #permitted = new Set<string>()

  private constructor(browser: CdpSession, settings: EmulationSettings, defaultContextId: string | undefined) {
    this.#browser = browser
    this.#settings = settings
    this.#defaultContextId = defaultContextId
  }

  /**
   * Starts the emulation. Resolves when the existing targets are set up. Rejects with CDP_FAILED.
   */
  static async start(
    { router, defaultContextId }: { readonly router: CdpRouter; readonly defaultContextId?: string | undefined },
    settings: EmulationSettings,
  ): Promise<BrowserEmulation> {
    const browser = await attachToBrowser(router)
    const emulation = new BrowserEmulation(browser, settings, defaultContextId)
    router.onEvent(({ method, params }) => {
      if (method === 'Target.targetInfoChanged' && params.targetInfo.type === 'page') emulation.#retryLocale()
    })
    const attachment = autoAttach(router, browser, {
      pausesNewTargets: true,
      onAttached: async (target) => emulation.#add(target),
      onDetached: (target) => emulation.#remove(target),
      onEvent: () => undefined,
    })
    await attachment.ready
    return emulation
  }

  /** Processes a command of a client. Returns the command to send instead. */
  adapt(command: CdpCommand, origin: ClientTarget): CdpCommand {
    const feature = features.get(command.method)
    if (feature === undefined || !this.#emulates(feature)) return command
    const { params = {} } = command
    const key = `${feature} ${origin.targetId}`
    if (!isOverride(command.method, params)) {
      this.#clients.delete(key)
      // After the command of the client, which is sent when this returns.
      queueMicrotask(() => this.#applyTo(origin.targetId, feature))
      return command
    }
    this.#clients.set(key, { ...origin, feature })
    for (const target of this.#targetsOf(origin.targetId)) void this.#withdraw(target, feature)
    return feature === 'userAgent' ? { ...command, params: this.#completeUserAgent(params) } : command
  }

  /** Whether a command sets a locale other than that of the session. */
  replacesLocale({ method, params = {} }: CdpCommand): boolean {
    return features.get(method) === 'locale' && this.#emulates('locale') && isOverride(method, params)
  }

  /**
   * Ends the locale in all targets that may share the process of a target, and sets it again after
   * `work`, in processes without another one.
   */
  async withoutLocale<Result>(targetId: string, work: () => Promise<Result>): Promise<Result> {
    const contextId = this.#targetsOf(targetId)[0]?.browserContextId
    const related = [...this.#targets].filter(
      (target) => target.browserContextId === contextId && !this.#clients.has(`locale ${target.targetId}`),
    )
    this.#yielding += 1
    try {
      await Promise.all(related.map(async (target) => this.#withdraw(target, 'locale')))
      return await work()
    } finally {
      this.#yielding -= 1
      for (const target of related) if (this.#targets.has(target)) this.#withoutLocale.add(target)
      this.#retryLocale()
    }
  }

  /** Ends what a client emulates in one of its sessions. Without an id, in all of them. */
  release(client: object, cdpSessionId?: string): void {
    for (const [key, owner] of this.#clients) {
      if (owner.client !== client || (cdpSessionId !== undefined && owner.cdpSessionId !== cdpSessionId)) continue
      this.#clients.delete(key)
      this.#applyTo(owner.targetId, owner.feature)
    }
  }

  async #add(target: AttachedTarget): Promise<void> {
    this.#targets.add(target)
    // All commands are sent at once, since the target is resumed after them.
    await Promise.all([
      this.#permitGeolocation(target),
      this.#apply(target, 'locale'),
      this.#apply(target, 'userAgent'),
      this.#apply(target, 'geolocation'),
    ])
  }

  #remove(target: AttachedTarget): void {
    this.#targets.delete(target)
    this.#withoutLocale.delete(target)
    this.#retryLocale()
  }

  #emulates(feature: Feature): boolean {
    const { languages, userAgent, geolocation } = this.#settings
    if (feature === 'locale') return languages !== undefined
    return feature === 'geolocation' ? geolocation !== undefined : userAgent !== undefined || languages !== undefined
  }

  #targetsOf(targetId: string): readonly AttachedTarget[] {
    return [...this.#targets].filter((target) => target.targetId === targetId)
  }

  #applyTo(targetId: string, feature: Feature): void {
    for (const target of this.#targetsOf(targetId)) void this.#apply(target, feature)
  }

  /** Never rejects: the target may be gone. */
  async #apply(target: AttachedTarget, feature: Feature): Promise<void> {
    if (!this.#emulates(feature) || this.#clients.has(`${feature} ${target.targetId}`)) return
    if (feature === 'locale') return this.#applyLocale(target)
    const { geolocation } = this.#settings
    if (feature === 'userAgent')
      await target.call('Emulation.setUserAgentOverride', this.#userAgent()).catch(() => undefined)
    else if (target.type === 'page')
      await target.call('Emulation.setGeolocationOverride', geolocation).catch(() => undefined)
  }

  async #applyLocale(target: AttachedTarget): Promise<void> {
    if (this.#yielding > 0) {
      this.#withoutLocale.add(target)
      return
    }
    try {
      await target.call('Emulation.setLocaleOverride', { locale: this.#settings.languages?.[0] })
      this.#withoutLocale.delete(target)
    } catch {
      // Its process has the locale of another target, or the target is gone.
      if (this.#targets.has(target)) this.#withoutLocale.add(target)
    }
  }

  /** Sets the locale of targets whose process had another one, and retries later. */
  #retryLocale([delayMs, ...later]: readonly number[] = localeRetryDelaysMs): void {
    clearTimeout(this.#localeRetry)
    if (this.#withoutLocale.size === 0) return
    void this.#applyToPagesFirst({ isLast: delayMs === undefined })
    if (delayMs === undefined) return
    this.#localeRetry = setTimeout(() => this.#retryLocale(later), delayMs).unref()
  }

  /**
   * Sets the locale of workers only after that of all pages, or at the last attempt. A worker may
   * share a process with a page, and the locale of a process ends with the target that has set it.
   */
  async #applyToPagesFirst({ isLast }: { readonly isLast: boolean }): Promise<void> {
    const waiting = (isPage: boolean): readonly AttachedTarget[] =>
      [...this.#withoutLocale].filter(
        ({ type, targetId }) => pageTypes.has(type) === isPage && !this.#clients.has(`locale ${targetId}`),
      )
    await Promise.all(waiting(true).map(async (target) => this.#apply(target, 'locale')))
    if (isLast || waiting(true).length === 0) for (const worker of waiting(false)) void this.#apply(worker, 'locale')
  }

  /**
   * Ends the emulation of a target for one of a client: Chromium accepts no second locale, and has
   * no order of user agents. Geolocation is that of the last command. Never rejects: the target may
   * be gone.
   */
  async #withdraw({ call }: AttachedTarget, feature: Feature): Promise<void> {
    if (feature === 'locale') await call('Emulation.setLocaleOverride', {}).catch(() => undefined)
    else if (feature === 'userAgent') {
      await call('Emulation.setUserAgentOverride', { userAgent: '' }).catch(() => undefined)
    }
  }

  #userAgent(): UserAgentParams {
    const { userAgent, languages } = this.#settings
    return {
      ...(userAgent === undefined ? { userAgent: '' } : userAgentOverride(userAgent, false)),
      ...(languages === undefined ? {} : { acceptLanguage: languages.join(',') }),
    }
  }

  /** Adds the part that a client does not emulate: user agent or languages. */
  #completeUserAgent(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { acceptLanguage, ...own } = this.#userAgent()
    return {
      ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
      ...(isSet(params['userAgent']) ? {} : own),
      ...Object.fromEntries(Object.entries(params).filter(([, value]) => isSet(value))),
      ...(isSet(params['userAgent']) ? {} : { userAgent: own.userAgent }),
    }
  }

  /** Grants the pages of a context access to the position: no user can answer a prompt. */
  async #permitGeolocation({ browserContextId = '' }: AttachedTarget): Promise<void> {
    if (this.#settings.geolocation === undefined || this.#permitted.has(browserContextId)) return
    this.#permitted.add(browserContextId)
    const context = browserContextId === this.#defaultContextId ? {} : { browserContextId }
    const permission = { permission: { name: 'geolocation' }, setting: 'granted', ...context } as const
    await this.#browser.call('Browser.setPermission', permission).catch(() => undefined)
  }
}

/** Whether a command sets an emulation, and does not reset it. */
function isOverride(method: string, params: Readonly<Record<string, unknown>>): boolean {
  if (method === 'Emulation.setGeolocationOverride') return true
  return isSet(params['locale']) || isSet(params['userAgent']) || isSet(params['acceptLanguage'])
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== ''
}
