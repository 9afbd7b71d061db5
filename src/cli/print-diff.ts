import picocolors from 'picocolors'
import type { CheckWithPages } from '../client/monitors.ts'
import type { CheckPage } from '../contract/monitor-checks.ts'
import { print } from './print.ts'

const colours = {
  same: picocolors.dim,
  new: picocolors.cyan,
  changed: picocolors.yellow,
  removed: picocolors.magenta,
  error: picocolors.red,
} as const

/** Prints the pages of a check that are not the same, each with what changed of it; colours on a terminal only. */
export const printDiff = ({ id, status, finishedAt, summary, error, pages }: CheckWithPages): void => {
  print(picocolors.dim(`check ${id}: ${status.replaceAll('_', ' ')}${finishedAt === null ? '' : ` at ${finishedAt}`}`))
  if (error !== null) print(picocolors.red(error))
  const states = ['same', 'changed', 'new', 'removed', 'error'] as const
  const counts = states
    .filter((state) => summary[state] > 0)
    .map((state) => colours[state](`${summary[state]} ${state}`))
  print(counts.length === 0 ? 'no pages' : counts.join(', '))
  for (const page of pages) if (page.status !== 'same') printPage(page)
}

const printPage = ({ status, url, error, diff, judgment }: CheckPage): void => {
  print('')
  print(`${colours[status](status)} ${picocolors.bold(url)}${error === null ? '' : `  ${error}`}`)
  if (judgment !== null) print(`${judgment.meaningful ? 'matters' : 'does not matter'}: ${judgment.reason}`)
  if (diff?.text !== undefined) for (const line of diff.text.trimEnd().split('\n')) print(colourLine(line))
  else if (diff?.json !== undefined) printFields(diff.json)
}

const colourLine = (line: string): string => {
  if (/^(?:\+\+\+|---) /.test(line)) return picocolors.bold(line)
  if (line.startsWith('@@')) return picocolors.cyan(line)
  if (line.startsWith('+')) return picocolors.green(line)
  return line.startsWith('-') ? picocolors.red(line) : line
}

const printFields = (fields: Readonly<Record<string, unknown>>): void => {
  for (const [path, change] of Object.entries(fields)) {
    const { previous, current } = change as { readonly previous?: unknown; readonly current?: unknown }
    print(path)
    print(picocolors.red(`- ${JSON.stringify(previous)}`))
    print(picocolors.green(`+ ${JSON.stringify(current)}`))
  }
}
