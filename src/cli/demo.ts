import { arch, platform } from 'node:os'
import { styleText } from 'node:util'
import { loadServer } from '../client/load-server.ts'
import { countOf } from '../kit/count-of.ts'
import { canSpin } from '../terminal/print.ts'
import { runDemo, type DemoEnd, type DemoListener, type DemoOptions, type DemoSession } from './run-demo.ts'
import { createSpinner, type Spinner } from './spinner.ts'

/** Options of the output of the demo. */
export interface DemoOutput {
  /** Prints one JSON object at the end instead of text. Default: false. */
  readonly json?: boolean | undefined
}

/** Runs `bowline demo`. Resolves to the exit code, which is 0 if no process is left running. */
export async function demo(options: DemoOptions & DemoOutput): Promise<number> {
  // As for `bowline serve`: the process is the command's own, and runs the embedded database.
  const { limitWasmCompiler } = await loadServer<{ limitWasmCompiler: () => void }>('bowline-server/commands')
  limitWasmCompiler()
  if (options.json === true) {
    const end = await runDemo(options, { onServer: () => {}, onSession: () => {} })
    process.stdout.write(`${JSON.stringify(end, undefined, 2)}\n`)
    return end.stillRunning.length === 0 ? 0 : 1
  }
  using spinner = createSpinner({ isVisible: process.stdout.isTTY && canSpin() })
  spinner.start('Starting a server in this process')
  const end = await runDemo(options, printer(spinner))
  spinner.stop()
  printEnd(end)
  return end.stillRunning.length === 0 ? 0 : 1
}

function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

function field(name: string, value: string): void {
  return print(`  ${styleText('dim', name.padEnd(11))} ${value}`)
}

function printer(spinner: Spinner): DemoListener {
  return {
    onServer: (url) => {
      spinner.stop()
      print(`Server at ${url} (in this process, Node ${process.versions.node}, ${platform()}-${arch()})`)
      spinner.start('Driving a page with Playwright')
    },
    onSession: (session) => {
      spinner.stop()
      printSession(session)
      spinner.start(session.driver === 'playwright' ? 'Driving a page with Puppeteer' : 'Shutting down')
    },
    onMissing: (driver, { message, hint }) => {
      spinner.stop()
      print()
      print(`${styleText('bold', titleOf(driver))} left out: ${message} (${hint ?? ''})`)
    },
  }
}

function titleOf(driver: string): string {
  return driver === 'playwright' ? 'Playwright' : 'Puppeteer'
}

function printSession(session: DemoSession): void {
  const { driver, title, url, outcome, screenshot, liveViewUrl, sessionDurationMs, creditsBilled } = session
  print()
  print(styleText('bold', titleOf(driver)))
  if (session.fallbackReason !== undefined) field('note', `${session.fallbackReason}; used the bundled page instead`)
  field('page', url)
  field('title', title)
  field('actions', outcome)
  field('screenshot', screenshot)
  field('live view', `${liveViewUrl || 'none'} (until the session ended)`)
  field('duration', sessionDurationMs === undefined ? 'unknown' : `${(sessionDurationMs / 1000).toFixed(1)} s`)
  field('credits', creditsBilled === undefined ? 'unknown' : String(creditsBilled))
}

function printEnd({ sessions, started, stillRunning }: DemoEnd): void {
  print()
  if (stillRunning.length > 0) {
    print(styleText('red', `These processes are still running: ${stillRunning.join(', ')}`))
    return
  }
  const count = started === 0 ? '' : ` All ${started} started processes have exited.`
  const which = sessions.length > 1 ? 'Both sessions are' : 'The session is'
  print(`${which} deleted and billed: ${countOf(sessions.reduce(sumCredits, 0), 'credit')} in total.${count}`)
}

function sumCredits(sum: number, session: DemoSession): number {
  return sum + (session.creditsBilled ?? 0)
}
