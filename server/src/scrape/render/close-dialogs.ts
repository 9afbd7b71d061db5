import type { Tab } from './tab.ts'

/**
 * Closes JavaScript dialogs, which block the page. Accepts `beforeunload`. `isOwnedByOther`:
 * whether somebody else responds to the dialog that has just opened.
 */
export function closeDialogs(tab: Tab, isOwnedByOther: () => Promise<boolean> = async () => false): void {
  tab.on(({ method, params, sessionId = '' }) => {
    if (method !== 'Page.javascriptDialogOpening') return
    const accept = params.type === 'beforeunload'
    const close = async (): Promise<void> => {
      if (!(await isOwnedByOther())) await tab.callIn(sessionId)('Page.handleJavaScriptDialog', { accept })
    }
    // Fails if the page has closed its dialog, such as by navigating.
    close().catch(() => undefined)
  })
}
