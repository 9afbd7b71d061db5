import { deriveToken, equalSecrets, isUuid } from 'bowline/kit/ids'

/** What the link of a mail is for. */
export type MailPurpose = 'confirm' | 'unsubscribe'

/** The token in the link of a mail: it names the subscription, and only its holder can have it. */
export function mailToken(
  subscription: { readonly id: string; readonly secret: string },
  purpose: MailPurpose,
): string {
  return `${subscription.id}.${deriveToken(subscription.secret, `mail-${purpose}`)}`
}

/** The id of the subscription that a token names; undefined: it is none. */
export function subscriptionOfToken(token: string): string | undefined {
  const [id = ''] = token.split('.')
  return isUuid(id) ? id : undefined
}

/** Whether a token was made for the subscription and the purpose. */
export function isValidToken(
  token: string,
  subscription: { readonly id: string; readonly secret: string },
  purpose: MailPurpose,
): boolean {
  return equalSecrets(token, mailToken(subscription, purpose))
}
