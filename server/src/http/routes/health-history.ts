import { BowlineError } from 'bowline/kit/errors'
import { listHealth } from '../../nodes/health-samples.ts'
import type { Store } from '../../store/store.ts'
import type { Handlers } from '../register.ts'

/** Maximum number of points of a server. */
const maxPoints = 240

/** Route of the health of the servers over time. */
export function healthHistoryHandlers({ store }: { readonly store: Pick<Store, 'db'> }): Handlers {
  return {
    healthHistory: async ({ query: { hours } }, { key }) => {
      if (key.role !== 'admin') throw new BowlineError('FORBIDDEN', 'Only an admin key may read the health of servers')
      const stepMinutes = Math.ceil((hours * 60) / maxPoints)
      const servers = await listHealth(store.db, { hours, stepMinutes })
      return {
        success: true,
        stepSeconds: stepMinutes * 60,
        data: servers.map(({ id, url, isAlive, points }) => ({
          id,
          url,
          isAlive,
          points: points.map((point) => Object.assign(point, { at: point.at.toISOString() })),
        })),
      }
    },
  }
}
