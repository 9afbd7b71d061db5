import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { chartColours } from '../components/chart-colours.ts'
import { useColours } from '../components/use-colours.ts'
import type { Series } from './health-series.ts'

const height = 150

interface LineChartProps {
  /** Accessible name. */
  readonly label: string
  readonly series: Series
  readonly format: (value: number) => string
  /** Smallest upper end of the axis. */
  readonly minTop: number
}

/** A chart of values over time with a line for each server. */
export function LineChart({ label, series, format, minTop }: LineChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const { ink, line } = useColours(box)
  useEffect(() => {
    const target = box.current
    if (target === null) return undefined
    const options = optionsOf(series, { ink, line, format, minTop })
    const data = [[...series.times], ...series.lines.map(({ values }) => [...values])] as UPlot.AlignedData
    const chart = new UPlot({ ...options, width: target.clientWidth }, data, target)
    const observer = new ResizeObserver(() => chart.setSize({ width: target.clientWidth, height }))
    observer.observe(target)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [series, ink, line, format, minTop])
  return <div ref={box} class="chart small" role="img" aria-label={label} />
}

interface ChartStyle extends Pick<LineChartProps, 'format' | 'minTop'> {
  readonly ink: string
  readonly line: string
}

function optionsOf(series: Series, { ink, line, format, minTop }: ChartStyle): Omit<UPlot.Options, 'width'> {
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  return {
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_chart, _low, high) => [0, Math.max(minTop, high * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, incrs: tickSeconds, values: (_chart, times) => times.map(clockText) },
      { ...axis, size: 72, values: (_chart, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.lines.map(({ name }, at) => ({
        label: name,
        stroke: chartColours[at % chartColours.length] ?? ink,
        width: 2,
        spanGaps: false,
        // A single sample has no line.
        points: { show: series.times.length < 2 },
      })),
    ],
  }
}

/** Seconds between the ticks of the time axis: at least a minute, which is what they show. */
const tickSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * 60)

function clockText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })
}
