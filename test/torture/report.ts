import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'
import { commandOf, type TortureResult } from './torture.ts'

const page = new URL('../../docs/faults.md', import.meta.url)

/** Runs whose results the report keeps. A run of the same command replaces the earlier one. */
const start = '<!-- The runs below are written by `npm run torture -- --report`. -->'

/** Adds a run to `docs/faults.md`. */
export async function writeReport(result: TortureResult): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [head = '', runs = ''] = text.split(start)
  const command = commandOf(result)
  const kept = runs
    .split(/^(?=### )/m)
    .filter((run) => run.startsWith('### ') && !run.includes(`\`${command}\``))
    .map((run) => run.trimEnd())
  const sections = [...kept, await formatRun(result)]
  await writeFile(page, `${head}${start}\n\n${sections.join('\n\n')}\n`)
}

/** Formats a run as a section of Markdown. */
async function formatRun(result: TortureResult): Promise<string> {
  const { servers, seconds, broken, settleSeconds } = result
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'])
  const database = servers === 1 ? 'One server with the embedded database' : `${servers} servers on PostgreSQL`
  const faults = Object.values(result.faults).reduce((sum, count) => sum + count, 0)
  return [
    `### ${database}, ${Number((seconds / 60).toFixed(1))} minutes, ${result.isRolling ? 'rolling upgrades' : `${faults} faults`}`,
    `\`${commandOf(result)}\``,
    `Commit ${stdout.trim()}, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${arch()}), ${Math.round(totalmem() / 1e9)} GB, Node ${process.versions.node}.`,
    `All work ended ${settleSeconds} s after the last fault. ${broken.length === 0 ? 'Nothing was lost, and no law was broken.' : `${broken.length} laws were broken:`}`,
    ...(broken.length === 0 ? [] : [broken.map((law) => `- ${law}`).join('\n')]),
    table('Fault', 'Times', result.faults),
    table('Load', 'Number', result.load),
    table('Checked', 'Number', result.checked),
  ].join('\n\n')
}

/** Formats a table as oxfmt does. */
function table(title: string, unit: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)] as const)
  const widths = [0, 1].map((column) =>
    Math.max(...[[title, unit] as const, ...rows].map((row) => row[column]!.length)),
  )
  const line = ([name, count]: readonly [string, string]): string =>
    `| ${name.padEnd(widths[0]!)} | ${count.padStart(widths[1]!)} |`
  return [
    line([title, unit]),
    `| ${'-'.repeat(widths[0]!)} | ${'-'.repeat(widths[1]! - 1)}: |`,
    ...rows.map(line),
  ].join('\n')
}
