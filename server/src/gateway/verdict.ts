import type { SessionProxy } from 'bowline/contract/session-network'
import type { CdpCommand } from '../cdp/message.ts'

/**
 * Verdict on a command: pass it on (possibly changed), respond without the browser, refuse it with
 * a message, treat it as `Browser.close`, have the server execute it, or open the proxy of a
 * browser context first.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly command: CdpCommand }
  | { readonly kind: 'respond'; readonly result: object }
  | { readonly kind: 'context-proxy'; readonly command: CdpCommand; readonly proxy: SessionProxy }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'browser-close' }
  | { readonly kind: 'handoff' | 'secret' }
