import type { CdpCommand } from '../cdp/message.ts'

/**
 * What becomes of a command: passed on (perhaps changed), answered without the browser, refused with a message, or taken
 * as the end of the browser.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly command: CdpCommand }
  | { readonly kind: 'answer'; readonly result: object }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'browser-close' }
