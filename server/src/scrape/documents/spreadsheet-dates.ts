import { attributeOf, childElements, findChild, type XmlElement } from './xml.ts'

/** How Excel shows a number. */
export type CellFormat = 'number' | 'percent' | 'date' | 'time' | 'dateTime' | 'duration'

/** Returns the format of each cell style. */
export function cellFormats(styles: XmlElement | undefined): readonly CellFormat[] {
  const custom = new Map(
    childElements(findChild(styles, 'numFmts'), 'numFmt').map((each) => [
      attributeOf(each, 'numFmtId'),
      formatOf(attributeOf(each, 'formatCode') ?? ''),
    ]),
  )
  return childElements(findChild(styles, 'cellXfs'), 'xf').map((each) => {
    const id = attributeOf(each, 'numFmtId')
    return custom.get(id) ?? builtIn(Number(id))
  })
}

/** Formats the days since the end of 1899 as `2026-01-31`, `12:30:00` or both. */
export function formatDate(days: number, format: 'date' | 'time' | 'dateTime'): string {
  // Excel counts 29 February 1900, which did not exist.
  const epoch = Date.UTC(1899, 11, days < 60 && days >= 1 ? 31 : 30)
  const date = new Date(epoch + Math.round(days * 86_400) * 1000)
  if (Number.isNaN(date.getTime())) return String(days)
  const text = date.toISOString()
  const [day, time] = [text.slice(0, text.indexOf('T')), text.slice(text.indexOf('T') + 1, -5)]
  if (format === 'time') return time
  return format === 'date' ? day : `${day} ${time}`
}

/** Formats days as hours, minutes and seconds, such as `30:05:00`. */
export function formatDuration(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`
}

/** Formats that files do not describe, by their ids. */
function builtIn(id: number): CellFormat {
  if (id === 9 || id === 10) return 'percent'
  if (id >= 14 && id <= 17) return 'date'
  if (id === 46) return 'duration'
  if ((id >= 18 && id <= 21) || id === 45 || id === 47) return 'time'
  return id === 22 ? 'dateTime' : 'number'
}

/** Letters in quotes, brackets or after a backslash are literal. */
function formatOf(code: string): CellFormat {
  const [positive = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').split(';', 1)
  // Hours, minutes or seconds in brackets are not limited to a day.
  if (/\[[hms]+\]/i.test(positive)) return 'duration'
  const hasDay = /[yd]/i.test(positive) || /mmm/i.test(positive)
  const hasTime = /[hs]/i.test(positive)
  if (hasDay) return hasTime ? 'dateTime' : 'date'
  if (hasTime) return 'time'
  return positive.includes('%') ? 'percent' : 'number'
}
