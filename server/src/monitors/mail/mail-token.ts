import { deriveToken, equalSecrets, isUuid } from 'bowline/kit/ids'

/** Purpose of an email link. */
export type MailPurpose = 'confirm' | 'unsubscribe'

/** Returns the token of an email link: the subscription id and a MAC that authenticates it. */
export function mailToken(
  subscription: { readonly id: string; readonly secret: string },
  purpose: MailPurpose,
): string {
  return `${subscription.id}.${deriveToken(subscription.secret, `mail-${purpose}`)}`
}

/**
 * Returns the subscription id in a token, or `undefined` if the token is malformed. Does not verify
 * it.
 */
export function subscriptionOfToken(token: string): string | undefined {
  const [id = ''] = token.split('.')
  return isUuid(id) ? id : undefined
}

/** Whether a token is valid for the subscription and purpose. */
export function isValidToken(
  token: string,
  subscription: { readonly id: string; readonly secret: string },
  purpose: MailPurpose,
): boolean {
  return equalSecrets(token, mailToken(subscription, purpose))
}
