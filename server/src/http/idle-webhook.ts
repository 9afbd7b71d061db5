/** Returns a warning about a webhook that is set up for no events, or `undefined`. */
export function idleWebhookWarning(body: unknown): string | undefined {
  const { webhook } = (body ?? {}) as { readonly webhook?: { readonly events?: readonly unknown[] } | null }
  return webhook?.events?.length === 0 ? 'The webhook receives nothing, because `webhook.events` is empty.' : undefined
}
