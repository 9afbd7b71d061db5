import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { wasmCompilerFlags } from '../../server/src/cli/limit-wasm-compiler.ts'
import { mutations, plant } from './mutations.ts'
import { readArgs } from '../lab/read-args.ts'

const usage = 'npm run simulate -- [--schedules N] [--seed N] [--part NAME] [--mutation NAME | --mutations]'
const { values } = readArgs(usage, {
  options: {
    schedules: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    part: { type: 'string' },
    mutation: { type: 'string' },
    mutations: { type: 'boolean', default: false },
  },
})

/** Shares of the schedules of each part: those with a database take most of the time. */
const shares: Readonly<Record<string, number>> = { lifetimes: 0.8, waiting: 0.17, servers: 0.03 }

const schedules = Number(values.schedules)
const seed = Number(values.seed)

/** Simulates one part in this process, whose clocks and timers are replaced. */
async function runPart(name: string): Promise<void> {
  if (values.mutation !== undefined) plant(values.mutation)
  // After the mutation is planted, and before the timers are replaced.
  const { simulatePart } = await import('./simulate-part.ts')
  const lines = await simulatePart(name, { schedules, seed })
  for (const line of lines) console.log(line)
  // The database would keep the process alive.
  process.exit()
}

/** Runs this program with other options. Returns its exit code. */
async function runProgram(options: readonly string[], isSilent: boolean): Promise<number> {
  const program = fork(fileURLToPath(import.meta.url), options, {
    execArgv: [...wasmCompilerFlags],
    stdio: isSilent ? 'ignore' : 'inherit',
  })
  const [code] = (await once(program, 'exit')) as [number]
  return code
}

/** Simulates all parts, each in its own process. */
async function runAll(): Promise<void> {
  const startedMs = performance.now()
  const codes = Object.entries(shares).map(async ([name, share]) => {
    const own = Math.round(schedules * share)
    return runProgram(['--part', name, '--schedules', String(own), '--seed', String(seed)], false)
  })
  process.exitCode = Math.max(...(await Promise.all(codes)))
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

/** Plants all faults, one after the other, and checks that the laws catch each. */
async function runMutations(): Promise<void> {
  for (const [name, { part }] of Object.entries(mutations)) {
    const options = ['--part', part, '--mutation', name, '--seed', '1', '--schedules', '2000']
    const isCaught = (await runProgram(options, true)) === 1
    console.log(`${isCaught ? 'caught' : 'NOT CAUGHT'}: ${name}`)
    if (!isCaught) process.exitCode = 1
  }
}

await (values.mutations ? runMutations() : values.part === undefined ? runAll() : runPart(values.part))
