import { Command, Option } from 'commander'
import type { HandoffResult } from '../client/handoff.ts'
import { handoffLimits, type HandoffInput } from '../contract/handoff.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { print, printJson, printNote } from '../terminal/print.ts'
import { abortOnSignals } from './abort-on-signals.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { numberFrom } from './whole-number.ts'

/** Creates the command `bowline sessions handoff`. */
export function createSessionHandoffCommand(): Command {
  return withConnectionFlags(new Command('handoff'))
    .description('hand the page of a session to a human: print the live view link and wait for the end')
    .argument('<id>', 'id of the session')
    .requiredOption('--instructions <text>', 'task of the human, shown in the live view')
    .option('--target <id>', 'target id of the page (default: the page that was used last)')
    .option(
      '--timeout <ms>',
      'milliseconds until the hand-off ends without success (default: 1800000, 30 minutes)',
      numberFrom(1, handoffLimits.maxTimeoutMs, 'milliseconds'),
    )
    .addOption(
      new Option('--input <mode>', 'whether input of clients waits for the end or fails (default: wait)').choices([
        'wait',
        'fail',
      ]),
    )
    .action(handOffSession)
}

interface HandoffFlags extends ConnectionFlags {
  readonly instructions: string
  readonly target?: string
  readonly timeout?: number
  readonly input?: HandoffInput['input']
}

async function handOffSession(id: string, { target: targetId, timeout: timeoutMs, ...flags }: HandoffFlags) {
  const bowline = await createClient(flags)
  const { interactiveLiveViewUrl } = await bowline.sessions.get(id)
  // The client ends the hand-off before the process ends.
  using stop = abortOnSignals()
  try {
    const { instructions, input } = flags
    const onStart = (): void => {
      // Not with the result, which scripts read.
      if (interactiveLiveViewUrl !== undefined) printNote(`${instructions}: ${interactiveLiveViewUrl}`)
    }
    const options = { instructions, input, targetId, timeoutMs, signal: stop.signal, onStart }
    report(await bowline.sessions.handoff(id, options), flags)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    printNote('Cancelled the hand-off')
    process.exitCode = stop.exitCode
  }
}

function report(result: HandoffResult, { json }: ConnectionFlags): void {
  process.exitCode = exitCodeOf(result)
  if (json === true) return printJson(result)
  const { success, reason, endedBy } = result
  print(
    `${success ? 'done' : `not done (${endedBy.replaceAll('-', ' ')})`}${reason === undefined ? '' : `: ${reason}`}`,
  )
}

function exitCodeOf({ success, endedBy }: HandoffResult): number {
  if (success) return exitCodes.success.code
  if (endedBy === 'timeout') return exitCodes.timeout.code
  return (endedBy === 'session-ended' ? exitCodes.notFound : exitCodes.failure).code
}
