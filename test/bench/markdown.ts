import { table } from '../../scripts/reference/markdown.ts'
import { tableOf, type Verdict } from './report.ts'

/** Results of one benchmark for the page. */
export interface MeasuredGroup {
  readonly group: string
  readonly about: string
  readonly figures: readonly Verdict[]
}

/** Formats results as `docs/benchmarks.md`. `args`: the arguments of the benchmark. */
export function formatPage(
  host: Readonly<Record<string, string | number>>,
  results: readonly MeasuredGroup[],
  args: readonly string[],
): string {
  const machine = Object.entries(host).map(([name, value]) => `${name} ${value}`)
  const blocks = [
    '# Benchmarks',
    'Benchmarks with a baseline measure it and Bowline in the same run, so the ratios are comparable between machines. A lower ratio is better for times and memory, a higher one for throughput.',
    '```sh\nnpm run bench                                     # all benchmarks, about an hour\nnpm run bench -- gateway cycle                    # two of them\nnpm run bench -- --markdown docs/benchmarks.md    # writes this page\n```',
    `This page was written by \`npm run bench -- ${args.join(' ')}\`, on this machine: ${machine.join(', ')}. Absolute figures depend on the machine and its load. The page contains only the benchmarks of that run; \`npm run bench\` runs more.`,
    ...results.flatMap(({ group, about, figures }) => {
      const [head = [], ...rows] = tableOf(figures)
      return [`## ${group}`, `${about[0]?.toUpperCase()}${about.slice(1)}.`, table(head, rows)]
    }),
  ]
  return `${blocks.join('\n\n')}\n`
}
