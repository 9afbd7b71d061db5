import type { EndReason } from 'bowline/contract/browser'

/** A page of the session as the tab strip shows it. */
export interface Tab {
  readonly id: string
  readonly title: string
  readonly url: string
  readonly isCrashed: boolean
}

/** A JavaScript dialog that waits for an answer. */
export interface Dialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly defaultText: string
  readonly url: string
}

/** A select element that was clicked. Its own list is not part of the picture. */
export interface Choices {
  readonly options: readonly { readonly label: string; readonly isDisabled: boolean }[]
  readonly chosen: number
  /** Where the element is, in CSS pixels of the page. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}

/** How a session ended, as far as it is known yet. */
export interface Ended {
  readonly reason: EndReason | undefined
  readonly durationMs: number | undefined
  readonly creditsBilled: number | undefined
}

/** What the server tells a viewer beside frames. */
export type ServerMessage =
  | { readonly type: 'hello'; readonly isInteractive: boolean }
  | {
      readonly type: 'tabs'
      readonly tabs: readonly Tab[]
      /** The tab that this viewer sees; absent when the session has none. */
      readonly shown: string | undefined
      readonly isFollowing: boolean
    }
  | { readonly type: 'dialog'; readonly dialog: Dialog | null }
  | { readonly type: 'choices'; readonly choices: Choices | null }
  /** Whether the tab is on the screen of its browser. A hidden one is only looked at now and then. */
  | { readonly type: 'pace'; readonly isHidden: boolean }
  /** What was selected when the viewer asked for it. */
  | { readonly type: 'clipboard'; readonly text: string }
  /** Sent every 15 s. A page that misses it has lost its connection. */
  | { readonly type: 'beat' }
  | { readonly type: 'notice'; readonly text: string }
  | ({ readonly type: 'ended' } & Ended)

/** What a page of the live view is to show when it opens. */
export type PageState =
  | { readonly kind: 'live'; readonly isInteractive: boolean }
  | ({ readonly kind: 'ended' } & Ended)
  | { readonly kind: 'refused'; readonly message: string }
