import type { CreateSessionOptions } from 'bowline/contract/session-options'
import { formatDuration } from '../components/format.ts'

/** An option of a session: its name, and its value as text. */
export type DescribedOption = readonly [name: string, value: string]

/** Describes the options of a session that differ from the default, and its lifetime. */
export function describeOptions(options: Partial<CreateSessionOptions>): readonly DescribedOption[] {
  const { ttl, activityTtl, streamWebView, onBrowserClose, keepFiles, record, viewport, geolocation } = options
  const scale = viewport?.deviceScaleFactor ?? 1
  const described: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Ends after', ttl === undefined ? undefined : formatDuration(ttl * 1000)],
    ['Or when idle for', activityTtl === undefined ? undefined : formatDuration(activityTtl * 1000)],
    ['Recording', describeRecord(record)],
    ['Live view', streamWebView === false ? 'disabled' : undefined],
    ['On close', onBrowserClose === 'delete' ? 'ends when a client closes the browser' : undefined],
    ['Files', keepFiles === true ? 'kept after the end' : undefined],
    ['Allowed', describeDomains(options.allowedDomains)],
    ['Blocked', describeDomains(options.blockedDomains)],
    ['Proxy', options.proxy?.server],
    ['Webhook', describeWebhook(options.webhook)],
    ['Viewport', viewport && `${viewport.width} × ${viewport.height}${scale === 1 ? '' : ` at ${scale}`}`],
    ['Language', options.locale],
    ['Time zone', options.timezone],
    ['User agent', options.userAgent],
    ['Position', geolocation && `${geolocation.latitude}, ${geolocation.longitude}`],
    ['Window', options.headless === false ? 'with windows' : undefined],
    ['Flags', options.args?.join(' ')],
    ['Extensions', options.extensions?.join(', ')],
  ]
  return described.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]))
}

function describeRecord(record: CreateSessionOptions['record']): string | undefined {
  if (record === undefined || record === false) return undefined
  if (record === true) return 'video, console, requests'
  const { har, console, video, keep } = record
  const isOn = (option: unknown): boolean => option !== undefined && option !== false
  const names = [isOn(video) && 'video', isOn(console) && 'console', isOn(har) && 'requests'].filter(Boolean)
  return `${names.join(', ')}${keep === 'on-failure' ? ', kept if it fails' : ''}`
}

function describeDomains(domains: CreateSessionOptions['allowedDomains']): string | undefined {
  if (domains === undefined) return undefined
  if (Array.isArray(domains)) return domains.join(', ')
  const { navigation, subresources } = domains as { navigation: readonly string[]; subresources?: readonly string[] }
  const loaded = subresources === undefined ? '' : `; pages load from ${subresources.join(', ')}`
  return `tabs: ${navigation.join(', ')}${loaded}`
}

function describeWebhook(webhook: CreateSessionOptions['webhook']): string | undefined {
  return typeof webhook === 'string' ? webhook : webhook?.url
}
