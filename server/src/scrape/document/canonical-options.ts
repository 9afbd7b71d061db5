import type { Format } from 'bowline/contract/formats'
import type { ImageParser, PdfParser } from 'bowline/contract/parsers'
import { redactionOf, type RedactOptions } from 'bowline/contract/redaction'
import type { ScrapeOptions } from 'bowline/contract/scrape'
import { stableJson } from '../../kit/stable-json.ts'
import { canonicalLocation } from '../fetch/page-locale.ts'
import { viewports } from '../render/emulate.ts'

/** Options that are accepted without effect, or only describe the call. */
const withoutEffect: ReadonlySet<string> = new Set([
  'origin',
  'integration',
  'threatProtection',
  'auditMetadata',
  'useMock',
  'domainTools',
  'toolDetail',
])

/** Scrape options, of which any may be missing. */
export type SomeScrapeOptions = { readonly [Name in keyof ScrapeOptions]?: ScrapeOptions[Name] | undefined }

/**
 * Returns scrape options in the form that all spellings with the same effect share. The order of
 * formats, selectors and headers is lost, and values that change nothing are undefined.
 */
export function canonicalOptions(options: SomeScrapeOptions): Readonly<Record<string, unknown>> {
  const effective = Object.fromEntries(Object.entries(options).filter(([name]) => !withoutEffect.has(name)))
  const { formats = [], actions = [], mobile = false, profile } = options
  const hasUsualWindow = !mobile && actions.length === 0
  return {
    ...effective,
    formats: inOrder(formats.map((format) => canonicalFormat(format, hasUsualWindow))),
    includeTags: canonicalList(options.includeTags),
    excludeTags: canonicalList(options.excludeTags),
    allowedDomains: canonicalList(options.allowedDomains),
    headers: canonicalHeaders(options.headers),
    actions: actions.length === 0 ? undefined : actions,
    location: canonicalLocation(options.location),
    redactPII: canonicalRedaction(options.redactPII),
    parsers: inOrder((options.parsers ?? []).map(canonicalParser)),
    // Scrapes save changes with every value but `false`.
    profile: profile && { ...profile, saveChanges: profile.saveChanges !== false },
  }
}

/** Returns the options of a list without order, each once. Undefined for an empty list. */
export function canonicalList(list: readonly string[] = []): readonly string[] | undefined {
  return list.length === 0 ? undefined : [...new Set(list)].toSorted()
}

/** Kinds of personal data in the order of the default. */
const entityOrder = redactionOf(true)?.entities ?? []

/** Returns the options of a redaction with its kinds of data in one order, each once. */
export function canonicalRedaction(value: ScrapeOptions['redactPII']): RedactOptions | undefined {
  const redaction = redactionOf(value)
  if (redaction === undefined) return undefined
  const { mode, entities } = redaction
  return {
    ...redaction,
    // `fast` redacts like `accurate`.
    mode: mode === 'fast' ? 'accurate' : mode,
    entities: entityOrder.filter((entity) => entities.includes(entity)),
  }
}

/**
 * Returns a format without options that repeat a default. `hasUsualWindow`: whether the page has
 * the default viewport when it is captured.
 */
export function canonicalFormat(format: Format, hasUsualWindow: boolean): Format {
  switch (format.type) {
    case 'screenshot': {
      const { viewport, ...rest } = format
      const { width, height } = viewports.desktop
      const isDefault = hasUsualWindow && viewport?.width === width && viewport.height === height
      return isDefault || viewport === undefined ? rest : format
    }
    case 'changeTracking':
      return { ...format, modes: [...new Set(format.modes)].toSorted() }
    case 'json': {
      const { checkPromptInjection: _ignored, ...rest } = format
      return rest
    }
    default:
      return format
  }
}

function canonicalParser(parser: PdfParser | ImageParser): object {
  if (parser.type === 'image') return parser
  const { pages, pageMarkdown, blocks, pageMarkers, ...rest } = parser
  return {
    ...rest,
    ...((pages === true || pageMarkdown === true) && { pages: true }),
    ...(blocks === true && { blocks }),
    ...(pageMarkers === true && { pageMarkers }),
  }
}

/** Returns the headers with lower-case names. Undefined if there are none. */
function canonicalHeaders(headers: Readonly<Record<string, string>> = {}): object | undefined {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function inOrder<Item>(list: readonly Item[]): readonly Item[] {
  return list
    .map((item) => ({ item, json: stableJson(item) }))
    .toSorted((left, right) => (left.json < right.json ? -1 : 1))
    .map(({ item }) => item)
}
