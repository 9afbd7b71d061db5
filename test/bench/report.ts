import type { Aim, Figure } from './group.ts'

/** A figure with its ratio and verdict, as printed by `--json`. */
export interface Verdict extends Figure {
  readonly ratio: number | undefined
  /** Whether the aim is reached; undefined without one. */
  readonly isReached: boolean | undefined
}

/** Ours divided by the baseline, and whether the aim is reached. */
export function judge(figure: Figure): Verdict {
  const { ours, baseline, aim } = figure
  const ratio = baseline === undefined ? undefined : ours / baseline
  return { ...figure, ratio, isReached: aim && isReached(aim, aim.of === 'ratio' ? ratio : ours) }
}

/** The verdicts as rows of cells, below a row of headings. */
export function tableOf(verdicts: readonly Verdict[]): readonly (readonly string[])[] {
  const cells = verdicts.map((verdict) => [
    verdict.name,
    `${formatNumber(verdict.ours)} ${verdict.unit}`,
    verdict.baseline === undefined ? '' : `${formatNumber(verdict.baseline)} ${verdict.unit}`,
    verdict.ratio === undefined ? '' : `${verdict.ratio.toFixed(2)}x`,
    verdict.aim === undefined ? '' : formatAim(verdict.aim, verdict.unit),
    verdict.isReached === undefined ? '' : verdict.isReached ? 'yes' : 'NO',
  ])
  return [['figure', 'ours', 'baseline', 'ratio', 'aim', 'reached'], ...cells]
}

/** The verdicts as the lines of a table. */
export function formatTable(verdicts: readonly Verdict[]): string {
  const rows = tableOf(verdicts)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '))
    .map((line) => `  ${line.trimEnd()}\n`)
    .join('')
}

function isReached({ bound, value }: Aim, found: number | undefined): boolean {
  return found !== undefined && (bound === 'at most' ? found <= value : found >= value)
}

function formatAim({ of, bound, value }: Aim, unit: string): string {
  return `${bound === 'at most' ? '≤' : '≥'} ${of === 'ratio' ? `${value.toFixed(2)}x` : `${value} ${unit}`}`
}

function formatNumber(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}

/** Names to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 || column >= 4 ? cell.padEnd(width) : cell.padStart(width)
}
