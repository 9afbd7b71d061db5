import type { Run } from './runs.ts'
import type { Script } from './script-characters.ts'
import { attributeOf, childElements, descendants, findChild, type XmlElement } from './xml.ts'

/** Format of text. */
export interface TextFormat extends Omit<Run, 'html'> {
  readonly script?: Script | undefined
}

/** The styles of a document of OpenDocument. */
export interface OdfStyles {
  /** Returns the format of a style of text. */
  readonly formatOf: (style: string) => TextFormat
  /** Whether a style of paragraphs is that of the title of the document, or based on it. */
  readonly isTitle: (style: string) => boolean
  /** Whether a style of tables or slides hides them. */
  readonly isHidden: (style: string) => boolean
  /** Whether a level of a list style is numbered. Levels start at 1. */
  readonly isOrdered: (style: string, level: number) => boolean
}

/** Reads the styles of `styles.xml` and `content.xml`. */
export function readOdfStyles(files: readonly (XmlElement | undefined)[]): OdfStyles {
  const groups = files.flatMap((file) => childElements(file, 'styles', 'automatic-styles'))
  const styles = groups.flatMap((group) => childElements(group, 'style'))
  const formats = new Map(
    styles.map((style) => [attributeOf(style, 'name') ?? '', toFormat(findChild(style, 'text-properties'))]),
  )
  const namesOf = (isMeant: (style: XmlElement) => boolean): ReadonlySet<string | undefined> =>
    new Set(styles.filter(isMeant).map((style) => attributeOf(style, 'name')))
  const titles = namesOf((style) => attributeOf(style, 'parent-style-name') === 'Title')
  const hidden = namesOf(
    (style) =>
      attributeOf(findChild(style, 'table-properties'), 'display') === 'false' ||
      attributeOf(findChild(style, 'drawing-page-properties'), 'visibility') === 'hidden',
  )
  const lists = new Map(
    groups
      .flatMap((group) => childElements(group, 'list-style'))
      .map((style) => [attributeOf(style, 'name') ?? '', numberedLevels(style)]),
  )
  return {
    formatOf: (style) => formats.get(style) ?? {},
    isTitle: (style) => style === 'Title' || titles.has(style),
    isHidden: (style) => hidden.has(style),
    isOrdered: (style, level) => lists.get(style)?.has(String(level)) ?? false,
  }
}

function toFormat(properties: XmlElement | undefined): TextFormat {
  const position = attributeOf(properties, 'text-position')
  const weight = attributeOf(properties, 'font-weight')
  const style = attributeOf(properties, 'font-style')
  const strike = attributeOf(properties, 'text-line-through-style')
  return {
    ...(weight !== undefined && { isBold: /^(?:bold|[6-9]00)$/.test(weight) }),
    ...(style !== undefined && { isItalic: style !== 'normal' }),
    ...(strike !== undefined && { isStruck: strike !== 'none' }),
    ...(position !== undefined && { script: scriptOf(position) }),
  }
}

/** A position is `super`, `sub` or a percentage of the font, which is negative below the line. */
function scriptOf(position: string): Script | undefined {
  const [shift = ''] = position.trim().split(/\s+/)
  if (shift === 'super' || shift === 'sub') return shift
  const percent = Number.parseFloat(shift)
  return percent > 0 ? 'super' : percent < 0 ? 'sub' : undefined
}

function numberedLevels(style: XmlElement): ReadonlySet<string | undefined> {
  return new Set(
    descendants(style, 'list-level-style-number')
      .filter((each) => (attributeOf(each, 'num-format') ?? '') !== '')
      .map((each) => attributeOf(each, 'level')),
  )
}
