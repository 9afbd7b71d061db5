import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import playwright from 'playwright-core/package.json' with { type: 'json' }
import { browserSearchEnvironment } from '../../server/src/config.ts'
import { listBrowsers } from '../../server/src/browsers/find.ts'
import { packageVersion } from '../../server/src/version.ts'
import { discoverGroups } from './discover.ts'
import type { BenchGroup, BenchOptions } from './group.ts'
import { formatPage } from './markdown.ts'
import { formatTable, judge, type Verdict } from './report.ts'
import { readArgs } from '../lab/read-args.ts'

interface GroupResult {
  readonly group: string
  readonly about: string
  readonly seconds: number
  /**
   * Load average of the last minute before and after. On a busy machine only ratios are meaningful.
   */
  readonly load: { readonly before: number; readonly after: number }
  readonly figures: readonly Verdict[]
}

const usage = 'npm run bench [-- NAME…] [--quick] [--rounds N] [--json] [--markdown FILE]'
const { values, positionals } = readArgs(usage, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
})

const options: BenchOptions = {
  isQuick: values.quick,
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  progress: (line) => process.stderr.write(`${line}\n`),
}

async function measure(group: BenchGroup): Promise<GroupResult> {
  options.progress(`… ${group.name}`)
  const before = loadavg()[0] ?? 0
  const startedMs = performance.now()
  const figures = (await group.run(options)).map(judge)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  return { group: group.name, about: group.about, seconds, load: { before, after: loadavg()[0] ?? 0 }, figures }
}

async function describeHost(): Promise<Readonly<Record<string, string | number>>> {
  const found = (await listBrowsers(browserSearchEnvironment())).flatMap(({ found }) => found ?? [])
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    bowline: packageVersion,
    playwright: playwright.version,
    ...Object.fromEntries(found.map(({ kind, version }) => [kind, version])),
  }
}

async function main(): Promise<void> {
  const groups = await discoverGroups(positionals)
  const host = await describeHost()
  if (!values.json) {
    process.stdout.write(
      `${Object.entries(host)
        .map(([name, value]) => `${name} ${value}`)
        .join(' · ')}\n`,
    )
  }
  const results: GroupResult[] = []
  for (const group of groups) {
    const result = await measure(group)
    results.push(result)
    if (values.json) continue
    const { about, seconds, load, figures } = result
    process.stdout.write(
      `\n${result.group}: ${about}\n  ${seconds} s, load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after\n${formatTable(figures)}`,
    )
  }
  if (values.markdown !== undefined) await writeFile(values.markdown, formatPage(host, results, process.argv.slice(2)))
  if (values.json) process.stdout.write(`${JSON.stringify({ host, results }, undefined, 2)}\n`)
}

await main()
