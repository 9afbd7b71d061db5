/** Webhooks of sessions. `json`, because names of headers can differ only in case. */
export const sessionWebhooks: readonly string[] = [`alter table session add column webhook json`]
