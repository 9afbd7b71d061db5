import { Command } from 'commander'
import { maxSessionWait, type CreateSessionOptions } from '../contract/session-options.ts'
import { describeEndReason } from '../client/connection-lost.ts'
import type { Session, SessionBill } from '../client/session.ts'
import { isBowlineError } from '../kit/errors.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { describeBill } from './describe-bill.ts'
import { exitCodeOf, exitCodeOfSignal } from '../terminal/exit-codes.ts'
import { printError, printNote } from '../terminal/print.ts'
import { toBowlineError } from '../terminal/to-bowline-error.ts'
import { spawnChild } from './spawn-child.ts'
import { forwardSignals } from './forward-signals.ts'
import { sessionOptionsOf, withSessionFlags, type SessionFlags } from './session-flags.ts'
import { numberFrom } from './whole-number.ts'

interface ExecFlags extends ConnectionFlags, SessionFlags {
  readonly webhook?: string
  readonly wait?: number
  readonly keepOnFailure?: boolean
}

/** Creates the command `bowline exec`. */
export function createExecCommand(): Command {
  const command = withConnectionFlags(new Command('exec'))
    .description(
      'Create a session, run the command with BOWLINE_CDP_URL, BOWLINE_SESSION_ID, BOWLINE_LIVE_VIEW_URL and ' +
        'BOWLINE_INTERACTIVE_LIVE_VIEW_URL in its environment, and delete the session when the command ends. ' +
        'The exit code is that of the command, and the bill is printed to standard error.',
    )
    .usage('[options] -- <command...>')
    .argument('<command...>', 'the command and its arguments')
  return withSessionFlags(command)
    .option('--webhook <url>', 'URL that receives the start and the end of the session, with its bill')
    .option(
      '--wait <seconds>',
      'time to wait if all sessions are in use, or the profile is locked',
      numberFrom(0, maxSessionWait, 'seconds'),
    )
    .option('--keep-on-failure', 'keep the session for debugging if the command fails')
    .passThroughOptions()
    .action(exec)
}

async function exec(command: readonly string[], flags: ExecFlags): Promise<void> {
  // Signals are forwarded to the command, and the session must outlive it.
  const bowline = await createClient(flags, { handleSignals: false })
  using signals = forwardSignals()
  let exitCode: number | undefined
  const onEnd = (bill: SessionBill): void => printBill(bill, exitCode, flags)
  try {
    const outcome = await bowline.withSession(
      { ...toSessionOptions(flags), signal: signals.interrupted, onEnd },
      async ({ session }) => {
        if (flags.json !== true) noteNewProfile(session)
        const code = (exitCode = await spawnChild(command, session, signals, flags))
        if (code === 0) return code
        if (flags.keepOnFailure === true) keepSession(session)
        else await session.end({ endedBy: 'throw' })
        return code
      },
    )
    process.exitCode = outcome.result
  } catch (error) {
    if (signals.received !== undefined) {
      process.exitCode = exitCodeOfSignal(signals.received)
      return printNote(`${signals.received}: the session is deleted as soon as the server has responded`)
    }
    printError(error, flags)
    // If only the deletion of the session failed, the result is that of the command.
    const isDeletion = isBowlineError(error) && error.code === 'DELETE_FAILED'
    process.exitCode = (isDeletion && exitCode) || exitCodeOf(toBowlineError(error))
  }
}

function toSessionOptions({ webhook, wait, ...flags }: ExecFlags): CreateSessionOptions {
  return {
    ...sessionOptionsOf(flags),
    ...(webhook === undefined ? {} : { webhook }),
    ...(wait === undefined ? {} : { wait }),
  }
}

function keepSession(session: Session): void {
  session.detach()
  const until = session.expiresAt === undefined ? 'it expires' : session.expiresAt.toISOString()
  const name = session.name === undefined ? '' : ` (${session.name})`
  printNote(
    `session ${session.id}${name} is kept until ${until}; delete it with: bowline sessions delete ${session.id}`,
  )
  if (session.interactiveLiveViewUrl !== '') printNote(`live view: ${session.interactiveLiveViewUrl}`)
}

function printBill(bill: SessionBill, exitCode: number | undefined, flags: ExecFlags): void {
  if (flags.json === true) return printNote(JSON.stringify({ ...bill, exitCode, error: bill.error?.message }))
  if (bill.error !== undefined) return
  printNote(describeBill(exitCode === undefined || exitCode === 0 ? bill : explainUnsaved(bill, exitCode)))
  const { endReason = 'deleted' } = bill
  if (exitCode !== undefined && endReason !== 'deleted')
    printNote(`the session ended before the command: ${describeEndReason(endReason)}`)
}

/** Prints that a profile has no state to start with, since its name may be misspelled. */
function noteNewProfile({ profile }: Session): void {
  if (profile?.loadedVersion === null)
    printNote(`profile "${profile.name}" has no saved version: the browser starts empty`)
}

/** Names the command as the reason why a profile that is saved only on success was not saved. */
function explainUnsaved(bill: SessionBill, exitCode: number): SessionBill {
  const { profile, endReason } = bill
  if (profile?.onlyOnSuccess !== true || endReason !== 'deleted') return bill
  return { ...bill, profile: { ...profile, error: `the command failed with exit code ${exitCode}` } }
}
