import type { Protocol } from './protocol.ts'

/**
 * An open dialog of a page that was announced to a client. Only the CDP session that received the
 * `Page.javascriptDialogOpening` event can handle it.
 */
export interface OpenDialog {
  /** Parameters of the event that announced it. */
  readonly params: Protocol.Page.JavascriptDialogOpeningEvent
  readonly cdpSessionId: string
}

/**
 * Tracks which page of a browser any of its clients used last. Chromium reports no reliable signal
 * for it.
 */
export class PageFocus {
  #page: string | undefined
  readonly #opened = new Set<string>()
  readonly #listeners = new Set<() => void>()
  /** The client that used each page last. */
  readonly #lastClientOfPage = new Map<string, object>()
  /** The client that emulates the device of each page, and its session. */
  readonly #emulators = new Map<string, { readonly client: object; readonly cdpSessionId: string }>()
  readonly #dialogs = new Map<string, OpenDialog & { readonly client: object }>()

  /** Target id of the page. Undefined if none was used yet. The page may be closed. */
  get page(): string | undefined {
    return this.#page
  }

  /**
   * Target ids of the open pages that were announced to clients, oldest first. The browser lists
   * its pages in no particular order.
   */
  get opened(): readonly string[] {
    return [...this.#opened]
  }

  /** Records that a page was announced to a client. */
  open(page: string): void {
    this.#opened.add(page)
  }

  /** The dialog that is open on a page, if it was announced to a client. */
  dialogOf(page: string): OpenDialog | undefined {
    return this.#dialogs.get(page)
  }

  /** Sets or, with undefined, removes the open dialog of a page. */
  setDialog(page: string, client: object, dialog: OpenDialog | undefined): void {
    if (dialog === undefined) this.#dialogs.delete(page)
    else this.#dialogs.set(page, { ...dialog, client })
  }

  /** CDP session of the client that emulates the device of a page. Undefined if none does. */
  emulatingSessionOf(page: string): string | undefined {
    return this.#emulators.get(page)?.cdpSessionId
  }

  /** Records that a client emulates the device of a page or, with undefined, no longer does. */
  setEmulatingSession(page: string, client: object, cdpSessionId: string | undefined): void {
    if (cdpSessionId === undefined) this.#emulators.delete(page)
    else this.#emulators.set(page, { client, cdpSessionId })
  }

  /** Removes a closed page. */
  close(page: string): void {
    this.#emulators.delete(page)
    this.#dialogs.delete(page)
    this.#opened.delete(page)
    this.#lastClientOfPage.delete(page)
  }

  /** Records that a client used a page. */
  markUsed(page: string, client: object): void {
    this.#lastClientOfPage.set(page, client)
    this.set(page)
  }

  /** Whether another connected client used the page last. */
  wasLastUsedByOther(page: string, client: object): boolean {
    const lastClient = this.#lastClientOfPage.get(page)
    return lastClient !== undefined && lastClient !== client
  }

  /** Removes a client that has disconnected. */
  leave(client: object): void {
    for (const [page, lastClient] of this.#lastClientOfPage) {
      if (lastClient === client) this.#lastClientOfPage.delete(page)
    }
    for (const [page, dialog] of this.#dialogs) if (dialog.client === client) this.#dialogs.delete(page)
    for (const [page, emulator] of this.#emulators) if (emulator.client === client) this.#emulators.delete(page)
  }

  /** Makes a page the active one. */
  set(page: string): void {
    if (page === this.#page) return
    this.#page = page
    for (const listener of this.#listeners) listener()
  }

  /** Calls the listener when the active page changes. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
