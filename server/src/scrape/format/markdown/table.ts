import type { ChildNode, Element } from 'domhandler'
import { isElement, isText, visitElements } from '../../parse/dom-nodes.ts'
import { isNumbering } from './code-block.ts'
import type { Writer } from './writer.ts'

const maxColumns = 200
const maxCells = 200_000

interface Cell {
  readonly element: Element
  readonly columns: number
  readonly rows: number
}

/** Writes a data table as a Markdown table, and the cells of a layout table one after the other. */
export function writeTable(table: Element, writer: Writer): readonly string[] {
  const rows = rowsOf(table)
  const captions = table.children.filter(isElement).filter((child) => child.name === 'caption')
  const caption = [...captions.flatMap((child) => writer.blocks(child.children)), ...writer.blocks(straysOf(table))]
  if (isLayout(table, rows))
    return [...caption, ...rows.flatMap((row) => row.flatMap((cell) => writer.blocks(cell.element.children)))]
  const grid = toGrid(rows, writer)
  const kept = withoutEmpty(grid)
  const [head, ...body] = kept
  if (head === undefined) return caption
  const hasHead =
    rows[0]?.some((cell) => cell.element.name === 'th' || isInHead(cell.element)) === true || body.length > 0
  const lines = hasHead ? [head, head.map(() => '---'), ...body] : [head.map(() => ''), head.map(() => '---'), head]
  return [...caption, lines.map((line) => `| ${line.join(' | ')} |`).join('\n')]
}

/** Returns content outside of the cells, which browsers show before the table. */
function straysOf(parent: Element): readonly ChildNode[] {
  return parent.children.flatMap((child) => {
    if (!isElement(child)) return isText(child) && child.data.trim() !== '' ? [child] : []
    if (/^(?:caption|colgroup|td|th)$/.test(child.name)) return []
    return /^(?:thead|tbody|tfoot|tr)$/.test(child.name) ? straysOf(child) : [child]
  })
}

function isInHead(cell: Element): boolean {
  const section = cell.parent?.parent
  return section !== undefined && section !== null && isElement(section) && section.name === 'thead'
}

function rowsOf(table: Element): readonly (readonly Cell[])[] {
  const rows: Cell[][] = []
  visitElements(table, (element) => {
    if (element.name === 'table' || element.name === 'caption') return false
    if (element.name === 'tr') rows.push([])
    if (element.name !== 'td' && element.name !== 'th') return true
    if (rows.length === 0) rows.push([])
    if (isNumbering(element)) return false
    rows.at(-1)?.push({
      element,
      columns: span(element.attribs['colspan'], maxColumns),
      rows: span(element.attribs['rowspan'], 65_534),
    })
    return false
  })
  return rows.filter((row) => row.length > 0)
}

function span(value: string | undefined, most: number): number {
  const number = Number.parseInt(value ?? '1', 10)
  return Number.isNaN(number) || number < 1 ? 1 : Math.min(number, most)
}

function isLayout(table: Element, rows: readonly (readonly Cell[])[]): boolean {
  const role = table.attribs['role']
  if (role === 'presentation' || role === 'none') return true
  if (rows.every((row) => row.length <= 1)) return !rows.some((row) => row[0]?.element.name === 'th')
  let hasHeader = false
  let hasLayoutPart = false
  visitElements(table, (element) => {
    if (element.name === 'th') hasHeader = true
    if (/^(?:table|pre|h[1-3]|article|section|form)$/.test(element.name)) hasLayoutPart = true
    if (element.name === 'table') return false
    return true
  })
  return hasLayoutPart && !hasHeader
}

/** Lays cells out on a grid. Cells covered by a span are empty. */
function toGrid(rows: readonly (readonly Cell[])[], writer: Writer): readonly (readonly string[])[] {
  const width = Math.min(maxColumns, most(rows.map((row) => row.reduce((sum, cell) => sum + cell.columns, 0))))
  const spansFit = width * rows.length <= maxCells
  const grid: string[][] = rows.map(() => [])
  const taken: (Set<number> | undefined)[] = []
  for (const [rowIndex, row] of rows.entries()) {
    const line = grid[rowIndex] ?? []
    let column = 0
    for (const cell of row) {
      while (taken[rowIndex]?.has(column) === true) line[column++] = ''
      if (column >= maxColumns) {
        writer.warn(`A table has more than ${maxColumns} columns: the Markdown leaves out the rest.`)
        break
      }
      line[column] = writeCell(cell.element, writer)
      const columns = spansFit ? Math.min(cell.columns, maxColumns - column) : 1
      const lastRow = spansFit ? Math.min(rows.length, rowIndex + cell.rows) : rowIndex + 1
      for (let covered = rowIndex; covered < lastRow; covered++) {
        const set = (taken[covered] ??= new Set())
        for (let across = 0; across < columns; across++) if (covered > rowIndex) set.add(column + across)
      }
      for (let across = 1; across < columns; across++) line[column + across] = ''
      column += columns
    }
    while (taken[rowIndex]?.has(column) === true) line[column++] = ''
  }
  const columns = most(grid.map((line) => line.length))
  return columns * rows.length > maxCells
    ? grid
    : grid.map((line) => Array.from({ length: columns }, (_, column) => line[column] ?? ''))
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => Math.max(left, right), 0)
}

function writeCell(cell: Element, writer: Writer): string {
  return writer
    .blocks(cell.children)
    .map(inCell)
    .join('<br>')
    .replace(/\s*\n\s*/g, '<br>')
    .replace(/(?<!\\)\|/g, '\\|')
}

/** Rewrites a block that a cell of a table cannot contain: a table, a code block or a heading. */
function inCell(block: string): string {
  const lines = block.split('\n')
  if (block.startsWith('| '))
    return lines
      .filter((line) => !isTableRule(line))
      .map(joinCells)
      .join('\n')
  if (block.startsWith('```')) return lines.slice(1, -1).filter(isFilled).map(asInlineCode).join('\n')
  return block.replace(/^#{1,6} (.*)$/s, '**$1**').replace(/^> ?/gm, '')
}

function isTableRule(line: string): boolean {
  return /^\|(?: --- \|)+$/.test(line)
}

function joinCells(line: string): string {
  return line
    .slice(2, -2)
    .split(/(?<!\\) \| /)
    .filter(isFilled)
    .join(', ')
}

function isFilled(text: string): boolean {
  return text.trim() !== ''
}

function asInlineCode(line: string): string {
  return line.includes('`') ? line : `\`${line}\``
}

function withoutEmpty(grid: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const rows = grid.filter((row) => row.some((cell) => cell !== ''))
  const used = new Set(rows.flatMap((row) => row.flatMap((cell, column) => (cell === '' ? [] : [column]))))
  return rows.map((row) => row.filter((_, column) => used.has(column)))
}
