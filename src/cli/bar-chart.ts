import { styleText } from 'node:util'

/** A bar of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
}

const gap = '  '

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/**
 * Formats a bar chart: one line per bar with its label, value and bar. The bar of the largest value
 * is `maxBarWidth` characters long, or shorter if lines would be longer than `maxWidth`.
 */
export function barChart(bars: readonly Bar[], maxBarWidth: number, maxWidth = Infinity): readonly string[] {
  const max = Math.max(1, ...bars.map(({ value }) => value))
  const numbers = bars.map(({ value }) => value.toLocaleString('en-US'))
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length))
  const numberWidth = Math.max(0, ...numbers.map((number) => number.length))
  const width = Math.max(1, Math.min(maxBarWidth, maxWidth - labelWidth - numberWidth - 2 * gap.length))
  return bars.map(({ label, value }, index) => {
    const number = (numbers[index] ?? '').padStart(numberWidth)
    return [label.padEnd(labelWidth), number, styleText('cyan', bar((value / max) * width))].join(gap).trimEnd()
  })
}

function bar(length: number): string {
  // Values above 0 have a visible bar.
  const units = length > 0 ? Math.max(1, Math.round(length * 8)) : 0
  return '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '')
}
