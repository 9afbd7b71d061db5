import type { CreateSessionOptions } from 'bowline/contract/session-options'
import type { SessionDetails } from './session-calls.ts'
import { readDomains, type EnteredDomains } from './domain-fields.tsx'
import { noEmulation, readEmulation, type EnteredEmulation } from './emulation-fields.tsx'
import { readLabels, type EnteredLabels } from './label-fields.tsx'
import { noProxy, readProxy, type EnteredProxy } from './proxy-fields.tsx'

/** Options to start a session like an earlier one. */
export interface SessionTemplate {
  readonly options: Partial<CreateSessionOptions>
  /** Options that the server does not store, because they can contain secrets. */
  readonly omitted: readonly string[]
}

/** A new session as entered in its form. */
export interface EnteredSession {
  readonly labels: EnteredLabels
  readonly domains: EnteredDomains
  readonly emulation: EnteredEmulation
  readonly proxy: EnteredProxy
  /** Seconds. */
  readonly ttl: number
  readonly activityTtl: number
  /** Empty for none. */
  readonly profile: string
  readonly savesChanges: NonNullable<CreateSessionOptions['profile']>['saveChanges']
  readonly isRecorded: boolean
  readonly extensions: readonly string[]
  /** Whether `otherOptions` of the template are used. */
  readonly usesOthers: boolean
}

/** The options of a session, with its current name and metadata. */
export function templateOf({ name, metadata, profile, options, omittedOptions = [] }: SessionDetails): SessionTemplate {
  const labels = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) }
  // Servers before this version did not store options.
  const known = options ?? (profile && { profile: { name: profile.name, saveChanges: profile.saveChanges } })
  return { options: { ...known, ...labels }, omitted: omittedOptions }
}

/** Fills the form with the options of a template. */
export function enterTemplate({ options }: SessionTemplate): EnteredSession {
  const { name = '', metadata = {}, profile, ttl = 600, activityTtl = 300, extensions = [] } = options
  return {
    labels: {
      name,
      metadata: Object.entries(metadata)
        .map(([key, value]) => `${key}=${value}`)
        .join('\n'),
    },
    domains: { allowed: textOf(options.allowedDomains), blocked: textOf(options.blockedDomains) },
    emulation: enterEmulation(options),
    proxy: { ...noProxy, server: options.proxy?.server ?? '' },
    ttl,
    activityTtl,
    profile: profile?.name ?? '',
    savesChanges: profile?.saveChanges ?? true,
    isRecorded: options.record !== undefined && options.record !== false,
    extensions,
    usesOthers: true,
  }
}

function textOf(domains: CreateSessionOptions['allowedDomains']): string {
  return Array.isArray(domains) ? domains.join(' ') : ''
}

function enterEmulation({ viewport, geolocation, locale, timezone, userAgent }: SessionTemplate['options']) {
  const scale = viewport?.deviceScaleFactor ?? 1
  return {
    ...noEmulation,
    ...(viewport && { viewport: `${viewport.width}x${viewport.height}${scale === 1 ? '' : `@${scale}`}` }),
    ...(geolocation && { geolocation: `${geolocation.latitude}, ${geolocation.longitude}` }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(userAgent !== undefined && { userAgent }),
  }
}

/** Options of a template that the form has no inputs for. */
export function otherOptions({ options }: SessionTemplate): Partial<CreateSessionOptions> {
  const { streamWebView, onBrowserClose, keepFiles, args, headless, webhook, allowedDomains, blockedDomains } = options
  return {
    ...(streamWebView === false && { streamWebView }),
    ...(onBrowserClose === 'delete' && { onBrowserClose }),
    ...(keepFiles === true && { keepFiles }),
    ...(args !== undefined && { args }),
    ...(headless !== undefined && { headless }),
    ...(webhook !== undefined && { webhook }),
    ...(isNested(allowedDomains) && { allowedDomains }),
    ...(isNested(blockedDomains) && { blockedDomains }),
  }
}

function isNested(domains: unknown): boolean {
  return typeof domains === 'object' && !Array.isArray(domains)
}

/** Reads the form as session options. */
export function readEntered(entered: EnteredSession, template: SessionTemplate): CreateSessionOptions {
  const { labels, domains, emulation, proxy, ttl, activityTtl, savesChanges, isRecorded, extensions } = entered
  const name = entered.profile.trim()
  const { record } = template.options
  return {
    ...(entered.usesOthers ? otherOptions(template) : {}),
    ...readLabels(labels),
    ...readDomains(domains),
    ...readEmulation(emulation),
    ...readProxy(proxy),
    ttl,
    activityTtl,
    ...(name === '' ? {} : { profile: { name, saveChanges: savesChanges } }),
    ...(isRecorded ? { record: typeof record === 'object' ? record : true } : {}),
    ...(extensions.length > 0 ? { extensions: [...extensions] } : {}),
  }
}
