import type { SessionBill } from '../client/session.ts'

/** Formats a bill as one line of text. */
export function describeBill(bill: SessionBill): string {
  const duration = bill.sessionDurationMs === undefined ? undefined : `${(bill.sessionDurationMs / 1000).toFixed(1)} s`
  const credits = bill.creditsBilled === undefined ? undefined : `${bill.creditsBilled} credits`
  const figures = [duration, credits, describeProfile(bill)].filter((figure) => figure !== undefined)
  const name = bill.name === undefined ? '' : ` (${bill.name})`
  return `session ${bill.sessionId}${name}: ${figures.length === 0 ? 'deleted' : figures.join(', ')}`
}

function describeProfile({ profile }: SessionBill): string | undefined {
  if (profile?.version !== undefined) return `profile "${profile.name}" saved as version ${profile.version}`
  return profile?.error === undefined ? undefined : `profile "${profile.name}" not saved: ${profile.error}`
}
