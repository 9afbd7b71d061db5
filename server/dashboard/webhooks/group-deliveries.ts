import type { Delivery } from 'bowline/contract/webhooks'

/** Deliveries of one job, session or check to one webhook, newest first. */
export interface DeliveryGroup {
  /** Id of the newest delivery. */
  readonly id: string
  readonly newest: Delivery
  readonly deliveries: readonly Delivery[]
}

/** Groups deliveries by their job and URL, in the order of the newest of each group. */
export function groupDeliveries(deliveries: readonly Delivery[]): readonly DeliveryGroup[] {
  return [...Map.groupBy(deliveries, ({ jobId, url }) => `${jobId} ${url}`).values()].flatMap((group) => {
    const [newest] = group
    return newest === undefined ? [] : [{ id: newest.id, newest, deliveries: group }]
  })
}

/** Counts deliveries by status, failed ones first. */
export function countStatuses(deliveries: readonly Delivery[]): readonly (readonly [Delivery['status'], number])[] {
  const order: readonly Delivery['status'][] = ['failed', 'pending', 'delivered']
  return order
    .map((status) => [status, deliveries.filter((each) => each.status === status).length] as const)
    .filter(([, count]) => count > 0)
}
