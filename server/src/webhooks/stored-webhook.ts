import { z } from 'zod'
import type { WebhookSpec } from 'bowline/contract/webhooks'

/** The webhook of a session, a job or a monitor as stored. It was validated when it was set. */
export const storedWebhook: z.ZodType<WebhookSpec> = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  metadata: z.record(z.string(), z.string()).default({}),
  events: z.array(z.string()),
})
