import { styleText } from 'node:util'

/** One bar of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** Draws values as lines: label, value, and a bar as long as the value is beside the largest, `width` characters at most. */
export function barChart(bars: readonly Bar[], width: number): readonly string[] {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const numbers = bars.map(({ value }) => value.toLocaleString('en-US'))
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length))
  const numberWidth = Math.max(0, ...numbers.map((number) => number.length))
  return bars.map(({ label, value }, index) => {
    const number = (numbers[index] ?? '').padStart(numberWidth)
    return `${label.padEnd(labelWidth)}  ${number}  ${styleText('cyan', bar((value / most) * width))}`.trimEnd()
  })
}

function bar(length: number): string {
  // What is there at all can be seen.
  const parts = length > 0 ? Math.max(1, Math.round(length * 8)) : 0
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}
