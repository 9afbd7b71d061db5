import { countMails } from './queries/mails.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { findDeliveriesByKey, type DeliveryRow } from '../webhooks/webhook-queries.ts'
import { checkEndKey } from './send-webhooks.ts'

/** Reads the notification status of checks by id: `{ webhook?, email? }`. */
export async function notificationStatuses(
  { store: { db }, onError }: Pick<MonitorDeps, 'store' | 'onError'>,
  checkIds: readonly string[],
): Promise<(checkId: string) => Readonly<Record<string, unknown>>> {
  const deliveries = await findDeliveriesByKey(db, checkIds.map(checkEndKey), (error) =>
    onError(error, 'listing webhook deliveries'),
  )
  const mails = await countMails(db, checkIds)
  return (checkId) => {
    const delivery = deliveries.find(({ uniqueKey }) => uniqueKey === checkEndKey(checkId))
    const own = mails.filter((each) => each.checkId === checkId)
    const count = (status: string): number => own.find((each) => each.status === status)?.mails ?? 0
    const [sent, queued, failed] = [count('sent'), count('queued'), count('failed')]
    return {
      ...(delivery === undefined ? {} : { webhook: describeDelivery(delivery) }),
      ...(own.length === 0
        ? {}
        : { email: { attempted: sent + failed > 0, success: sent > 0 && failed === 0, sent, queued, failed } }),
    }
  }
}

function describeDelivery({ status, attempts, deliveredAt }: Omit<DeliveryRow, 'payload'>) {
  const { statusCode, error } = attempts.at(-1) ?? {}
  return {
    attempted: attempts.length > 0,
    success: status === 'delivered',
    delivered: status === 'delivered',
    queued: status === 'pending',
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(error === undefined ? {} : { error }),
    ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt.toISOString() }),
  }
}
