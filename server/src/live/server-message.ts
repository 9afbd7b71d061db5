import type { EndReason } from 'bowline/contract/browser'

/** A page of the session in the tab strip. */
export interface Tab {
  readonly id: string
  readonly title: string
  readonly url: string
  readonly isCrashed: boolean
}

/** An open JavaScript dialog. */
export interface Dialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly defaultText: string
  readonly url: string
}

/** The options of a select element that was clicked. Screencast frames do not show its list. */
export interface Choices {
  readonly options: readonly { readonly label: string; readonly isDisabled: boolean }[]
  readonly chosen: number
  /** Bounding box of the element in CSS pixels of the page. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}

/** An open hand-off of a tab to a human. */
export interface OpenHandoff {
  readonly id: string
  readonly tab: string
  readonly instructions: string
}

/** A console message or an uncaught exception of a page. */
export interface InspectedMessage {
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Such as `log`, `warning` or `error`. */
  readonly level: string
  /** `console`, `exception`, or the source of a message of the browser. */
  readonly source: string
  readonly text: string
  /** Script that logged it. Empty if it is unknown. */
  readonly url: string
  readonly line: number | undefined
}

/** A request of a page. */
export interface InspectedRequest {
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  readonly method: string
  readonly url: string
  /** Such as `Document` or `XHR`. */
  readonly kind: string
  readonly isDone?: boolean
  readonly status?: number
  readonly error?: string
  readonly durationMs?: number
  /** Size of the response as transferred. */
  readonly bytes?: number
}

/** How a session ended. Values that are not known yet are `undefined`. */
export interface Ended {
  readonly reason: EndReason | undefined
  readonly durationMs: number | undefined
  readonly creditsBilled: number | undefined
}

/** JSON messages from the server to a viewer. Frames are sent as binary messages. */
export type ServerMessage =
  | { readonly type: 'hello'; readonly isInteractive: boolean }
  | {
      readonly type: 'tabs'
      readonly tabs: readonly Tab[]
      /** Id of the tab that this viewer sees. Absent if the session has no tabs. */
      readonly shown: string | undefined
      readonly isFollowing: boolean
    }
  | { readonly type: 'dialog'; readonly dialog: Dialog | null }
  /** The open hand-offs, oldest first. Not sent to a viewer who joins while there is none. */
  | { readonly type: 'handoffs'; readonly handoffs: readonly OpenHandoff[] }
  | { readonly type: 'choices'; readonly choices: Choices | null }
  /** The selected text that the viewer asked for. */
  | { readonly type: 'clipboard'; readonly text: string }
  /**
   * New console messages and requests, and requests that have changed, for a viewer that inspects
   * the session. `isSnapshot`: it replaces the earlier ones.
   */
  | {
      readonly type: 'inspected'
      readonly isSnapshot: boolean
      readonly messages: readonly InspectedMessage[]
      readonly requests: readonly InspectedRequest[]
    }
  /** Heartbeat, sent every 15 s so that the viewer notices a lost connection. */
  | { readonly type: 'heartbeat' }
  | { readonly type: 'notice'; readonly text: string }
  | ({ readonly type: 'ended' } & Ended)

/** Initial state of the live view page. */
export type ViewerPageState =
  | { readonly kind: 'live'; readonly isInteractive: boolean }
  | ({ readonly kind: 'ended' } & Ended)
  | { readonly kind: 'refused'; readonly message: string }
