import { styleText } from 'node:util'
import type { CheckWithPages } from '../client/monitors.ts'
import type { CheckPage } from '../contract/monitor-checks.ts'
import { countOf } from '../kit/count-of.ts'
import { print } from '../terminal/print.ts'

const colours = {
  same: 'dim',
  new: 'cyan',
  changed: 'yellow',
  removed: 'magenta',
  error: 'red',
} as const

/** Formats a number of pages with their state, such as `2 changed` or `1 error`. */
export function countOfState(count: number, state: CheckPage['status']): string {
  return state === 'error' ? countOf(count, state) : `${count} ${state}`
}

/** Prints the pages of a check that changed, with their diffs. Uses colours on a terminal only. */
export function printDiff({ id, status, finishedAt, summary, error, pages }: CheckWithPages): void {
  print(
    styleText('dim', `check ${id}: ${status.replaceAll('_', ' ')}${finishedAt === null ? '' : ` at ${finishedAt}`}`),
  )
  if (error !== null) print(styleText('red', error))
  const states = ['same', 'changed', 'new', 'removed', 'error'] as const
  const counts = states
    .filter((state) => summary[state] > 0)
    .map((state) => styleText(colours[state], countOfState(summary[state], state)))
  print(counts.length === 0 ? 'no pages' : counts.join(', '))
  for (const page of pages) if (page.status !== 'same') printPage(page)
}

function printPage({ status, url, error, diff, judgment }: CheckPage): void {
  print('')
  print(`${styleText(colours[status], status)} ${styleText('bold', url)}${error === null ? '' : `  ${error}`}`)
  if (judgment !== null) print(`${judgment.meaningful ? 'matters' : 'does not matter'}: ${judgment.reason}`)
  if (diff?.text !== undefined) for (const line of diff.text.trimEnd().split('\n')) print(colourLine(line))
  else if (diff?.json !== undefined) printFields(diff.json)
}

function colourLine(line: string): string {
  if (/^(?:\+\+\+|---) /.test(line)) return styleText('bold', line)
  if (line.startsWith('@@')) return styleText('cyan', line)
  if (line.startsWith('+')) return styleText('green', line)
  return line.startsWith('-') ? styleText('red', line) : line
}

function printFields(fields: Readonly<Record<string, unknown>>): void {
  for (const [path, change] of Object.entries(fields)) {
    const { previous, current } = change as { readonly previous?: unknown; readonly current?: unknown }
    print(path)
    print(styleText('red', `- ${JSON.stringify(previous)}`))
    print(styleText('green', `+ ${JSON.stringify(current)}`))
  }
}
