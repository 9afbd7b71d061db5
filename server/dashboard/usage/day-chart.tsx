import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDay, formatNumber } from '../components/format.ts'
import type { DayTable } from './day-table.ts'
import { chartColours } from '../components/chart-colours.ts'
import { useColours } from '../components/use-colours.ts'

const height = 260
const halfDay = 43_200

interface DayChartProps {
  /** Accessible name. */
  readonly label: string
  readonly table: DayTable
  /** Called with the index of the day under the pointer, or `undefined` when the pointer leaves. */
  readonly onDay: (day: number | undefined) => void
}

/** A stacked bar chart of credits by day and group. */
export function DayChart({ label: name, table, onDay }: DayChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const { ink, line } = useColours(box)

  useEffect(() => {
    const target = box.current
    if (target === null) return undefined
    const data: UPlot.AlignedData = [[...table.days], ...stackRows(table.credits)]
    const chart = new UPlot(
      { ...optionsOf(table, ink, line), width: target.clientWidth, hooks: hooksFor(onDay) },
      data,
      target,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: target.clientWidth, height }))
    observer.observe(target)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [table, ink, line, onDay])

  return <div ref={box} class="chart" role="img" aria-label={name} />
}

/** Adds to each row all rows after it. The first row is drawn first, the others over it. */
function stackRows(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row, from) => row.map((_, day) => rows.slice(from).reduce((sum, each) => sum + (each[day] ?? 0), 0)))
}

function hooksFor(onDay: DayChartProps['onDay']): UPlot.Hooks.Arrays {
  return {
    setCursor: [({ cursor: { idx } }) => onDay(idx ?? undefined)],
  }
}

function optionsOf(table: DayTable, ink: string, line: string): Omit<UPlot.Options, 'width'> {
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  return {
    height,
    // Days are in UTC. Ticks at local midnight would be between them.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_chart, first, last) => [first - halfDay, last + halfDay] },
      y: { range: (_chart, _low, high) => [0, Math.max(4, high * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_chart, days) => days.map(formatDay) },
      { ...axis, size: 56, values: (_chart, values) => values.map(formatNumber) },
    ],
    series: [
      {},
      ...table.groups.map((label, at) => ({
        label,
        fill: chartColours[at % chartColours.length] ?? ink,
        stroke: chartColours[at % chartColours.length] ?? ink,
        width: 0,
        ...bars,
        points: { show: false },
      })),
    ],
  }
}

const paths = UPlot.paths.bars?.({ size: [0.68, 40], radius: 0.15 })
const bars = paths === undefined ? {} : { paths }
