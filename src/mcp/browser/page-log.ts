import type { ConsoleMessage, Dialog, Download, FileChooser, Page, Request } from 'playwright-core'

/** A line of the console of a page, or an uncaught error. */
export interface ConsoleEntry {
  readonly level: 'error' | 'warning' | 'info' | 'debug'
  readonly text: string
}

/**
 * Records what happens on a page between two calls: console lines, requests, downloads, dialogs and
 * file choosers. Keeps the latest entries only, and little of long ones: pages must not use up the
 * memory that all sessions share.
 */
export class PageLog {
  readonly console: ConsoleEntry[] = []
  readonly requests: Request[] = []
  readonly downloads: Download[] = []
  /** The dialog that is open. The page does nothing else until it is handled. */
  dialog: Dialog | undefined
  /** The file chooser that waits for files. */
  fileChooser: FileChooser | undefined
  readonly #pending = new Set<Request>()
  readonly #onDialog = new Set<() => void>()

  constructor(page: Page) {
    page.on('console', (message) => this.#addText(page, levelOf(message), message.text()))
    page.on('pageerror', (error) => this.#addText(page, 'error', String(error)))
    page.on('request', (request) => {
      // Playwright keeps the whole URL as long as the request is listed.
      if (request.url().length <= maxUrlCharacters) this.#add(this.requests, request)
      this.#pending.add(request)
    })
    page.on('requestfinished', (request) => this.#pending.delete(request))
    page.on('requestfailed', (request) => this.#pending.delete(request))
    page.on('download', (download) => this.#add(this.downloads, download))
    page.on('filechooser', (chooser) => (this.fileChooser = chooser))
    page.on('dialog', (dialog) => {
      this.dialog = dialog
      for (const listener of this.#onDialog) listener()
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.fileChooser = undefined
    })
  }

  /** Whether requests are running whose responses can change the page. */
  get isLoading(): boolean {
    return [...this.#pending].some((request) => loadingTypes.has(request.resourceType()))
  }

  /** Resolves when a dialog opens or the signal aborts; immediately if a dialog is already open. */
  async untilDialog(signal: AbortSignal): Promise<void> {
    if (this.dialog !== undefined || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const listener = (): void => resolve()
    this.#onDialog.add(listener)
    signal.addEventListener('abort', listener, { once: true })
    await promise
    this.#onDialog.delete(listener)
  }

  #addText(page: Page, level: ConsoleEntry['level'], text: string): void {
    if (text.length <= maxTextCharacters) return this.#add(this.console, { level, text })
    // A slice would keep the whole text in memory, and Playwright keeps the last 200 texts itself.
    this.#add(this.console, { level, text: Buffer.from(text.slice(0, maxTextCharacters)).toString() })
    void Promise.allSettled([page.clearConsoleMessages(), page.clearPageErrors()])
  }

  #add<Entry>(list: Entry[], entry: Entry): void {
    list.push(entry)
    if (list.length > maxEntries) list.splice(0, list.length - maxEntries)
  }
}

/** Entries of each kind that are kept. */
const maxEntries = 1000

/** Characters of a console line that are kept. */
const maxTextCharacters = 1000

/** Requests with longer URLs are not listed. */
const maxUrlCharacters = 20_000

const loadingTypes: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr', 'script', 'stylesheet'])

function levelOf(message: ConsoleMessage): ConsoleEntry['level'] {
  const type = message.type()
  if (type === 'error' || type === 'assert') return 'error'
  if (type === 'warning') return 'warning'
  return type === 'debug' ? 'debug' : 'info'
}
