import type { ActivityLog } from '../../usage/activity-log.ts'
import type { Handlers } from '../register.ts'

/** Route of the activity log. */
export function activityHandlers({ activity }: { readonly activity: ActivityLog }): Handlers {
  return {
    activity: async ({ query }, { key }) => {
      const { rows, cursor } = await activity.list({ ...query, teamId: key.teamId })
      const data = rows.map(({ id, endpoint, apiVersion, createdAt, target, pages, error, auditUsername }) => ({
        id,
        endpoint,
        api_version: apiVersion,
        created_at: createdAt.toISOString(),
        target,
        pages: pages ?? undefined,
        error: error ?? undefined,
        audit_metadata: auditUsername === null ? undefined : { username: auditUsername },
      }))
      return { success: true, data, cursor: cursor ?? null, has_more: cursor !== undefined }
    },
  }
}
