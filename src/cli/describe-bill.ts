import { countOf } from '../kit/count-of.ts'
import type { SessionBill } from '../client/session.ts'

/** Formats a bill as one line of text. It says so if the service has not reported the credits. */
export function describeBill(bill: SessionBill): string {
  const { sessionDurationMs, creditsBilled } = bill
  const credits = creditsBilled === undefined ? 'credits not reported' : countOf(creditsBilled, 'credit')
  const isWithoutFigures = sessionDurationMs === undefined && creditsBilled === undefined
  const duration = sessionDurationMs === undefined ? undefined : `${(sessionDurationMs / 1000).toFixed(1)} s`
  const figures = [isWithoutFigures ? 'deleted' : duration, credits, describeProfile(bill)]
  const name = bill.name === undefined ? '' : ` (${bill.name})`
  return `session ${bill.sessionId}${name}: ${figures.filter((figure) => figure !== undefined).join(', ')}`
}

function describeProfile({ profile }: SessionBill): string | undefined {
  if (profile?.version !== undefined) return `profile "${profile.name}" saved as version ${profile.version}`
  return profile?.error === undefined ? undefined : `profile "${profile.name}" not saved: ${profile.error}`
}
