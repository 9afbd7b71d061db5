import type { Run } from './runs.ts'
import { attributeOf, childElements, descendants, findChild, type XmlElement } from './xml.ts'

/** The styles of a document of OpenDocument. */
export interface OdfStyles {
  /** Returns the format of a style of text. */
  readonly formatOf: (style: string) => Omit<Run, 'html'>
  /** Whether a level of a list style is numbered. Levels start at 1. */
  readonly isOrdered: (style: string, level: number) => boolean
}

/** Reads the styles of `styles.xml` and `content.xml`. */
export function readOdfStyles(files: readonly (XmlElement | undefined)[]): OdfStyles {
  const groups = files.flatMap((file) => childElements(file, 'styles', 'automatic-styles'))
  const formats = new Map(
    groups
      .flatMap((group) => childElements(group, 'style'))
      .map((style) => [attributeOf(style, 'name') ?? '', toFormat(findChild(style, 'text-properties'))]),
  )
  const lists = new Map(
    groups
      .flatMap((group) => childElements(group, 'list-style'))
      .map((style) => [attributeOf(style, 'name') ?? '', numberedLevels(style)]),
  )
  return {
    formatOf: (style) => formats.get(style) ?? {},
    isOrdered: (style, level) => lists.get(style)?.has(String(level)) ?? false,
  }
}

function toFormat(properties: XmlElement | undefined): Omit<Run, 'html'> {
  const weight = attributeOf(properties, 'font-weight')
  const style = attributeOf(properties, 'font-style')
  const strike = attributeOf(properties, 'text-line-through-style')
  return {
    ...(weight !== undefined && { isBold: /^(?:bold|[6-9]00)$/.test(weight) }),
    ...(style !== undefined && { isItalic: style !== 'normal' }),
    ...(strike !== undefined && { isStruck: strike !== 'none' }),
  }
}

function numberedLevels(style: XmlElement): ReadonlySet<string | undefined> {
  return new Set(
    descendants(style, 'list-level-style-number')
      .filter((each) => (attributeOf(each, 'num-format') ?? '') !== '')
      .map((each) => attributeOf(each, 'level')),
  )
}
