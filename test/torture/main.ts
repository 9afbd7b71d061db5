import { writeReport } from './report.ts'
import { commandOf, torture, type TortureResult } from './torture.ts'
import { readArgs } from '../lab/read-args.ts'

const usage = 'npm run torture -- [--seed N] [--minutes M] [--servers K] [--rolling] [--report] [--verbose]'
const { values } = readArgs(usage, {
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    minutes: { type: 'string', default: '1' },
    servers: { type: 'string', default: '1' },
    rolling: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

function numberOf(name: 'seed' | 'minutes' | 'servers', min: number): number {
  const value = Number(values[name])
  if (!(value >= min)) throw new Error(`--${name} takes a number of at least ${min}, got ${values[name]}`)
  return value
}

const options = {
  seed: numberOf('seed', 0),
  seconds: numberOf('minutes', 0.05) * 60,
  servers: numberOf('servers', 1),
  isRolling: values.rolling,
}
console.log(commandOf(options))
const startedMs = performance.now()
const log = (line: string): void => {
  if (values.verbose) console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)} s  ${line}`)
}
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stopped.abort(new Error(`The run was stopped by ${signal}`)))
const result: TortureResult = await torture({ ...options, signal: stopped.signal, log })
for (const [title, counts] of [
  ['Faults', result.faults],
  ['Load', result.load],
  ['Checked', result.checked],
] as const) {
  console.log(`\n${title}`)
  for (const [name, count] of Object.entries(counts)) console.log(`${String(count).padStart(8)}  ${name}`)
}
console.log(`\nAll work ended ${result.settleSeconds} s after the last fault.`)
for (const law of result.broken) console.log(`BROKEN: ${law}`)
if (result.broken.length > 0) console.log(`Repeat with: ${commandOf(options)}`)
else console.log('No law is broken.')
if (values.report) await writeReport(result)
// Node can run for ever at its natural end while a half-open socket has data to send.
process.exit(result.broken.length > 0 ? 1 : 0)
