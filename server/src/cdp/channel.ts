import type { CdpCommand } from './message.ts'

/** Receives messages of the browser for one client. The receiver owns the buffer. */
export type Receive = (message: Buffer) => void

/** Target that a channel is limited to. */
export interface ChannelTarget {
  readonly targetId: string
  /** Called when the target is gone. */
  readonly onDetached: () => void
}

/**
 * One client's connection to a shared browser: its own session with the browser or with one target,
 * and every session announced to it.
 */
export interface CdpChannel extends AsyncDisposable {
  /** Target of its own session: the browser, unless the channel is limited to a target. */
  readonly targetId: string
  /** Id of its own session, which messages from and to the client do not contain. */
  readonly rootSessionId: string
  /**
   * Sends a command. `unknown-session`: its `sessionId` does not belong to this channel. `full`:
   * the command was sent, but the pipe is full; send nothing more until `router.onDrain` calls.
   * `too-large`: it was not sent, because Chromium would not read it.
   */
  readonly send: (command: CdpCommand) => 'sent' | 'full' | 'unknown-session' | 'too-large'
  /** Whether the session was announced to this channel. */
  readonly includes: (cdpSessionId: string) => boolean
}
