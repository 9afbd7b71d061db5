import { quotePage } from '../../kit/quote-page.ts'
import type { Snapshot } from '../snapshot/page-snapshots.ts'
import type { BrowserScope, Content } from './tool.ts'

/** Creates a result of plain text. */
export function textResult(...lines: readonly string[]): readonly Content[] {
  return [{ type: 'text', text: lines.join('\n') }]
}

/** Returns a result that describes what an action has changed on the page. */
export async function changesResult(scope: BrowserScope, ...lines: readonly string[]): Promise<readonly Content[]> {
  const { open, options } = scope
  const tab = await open.tabs.current()
  const moved = tab === scope.tab ? [] : [`A new tab was opened and selected (${open.tabs.all.indexOf(tab)}).`]
  const events = describeEvents(tab.log)
  if (tab.log.dialog !== undefined) return textResult(...lines, ...moved, ...events)
  const snapshot = await tab.snapshots.takeChanges(options.maxTokens)
  const state = snapshot.isChanges ? describeChanges(snapshot.text) : describeSnapshot(snapshot)
  return textResult(...lines, ...moved, ...events, await describePage(tab.page, snapshot.text, state))
}

/** Returns the page as a bounded snapshot. */
export async function snapshotResult(
  { tab }: Pick<BrowserScope, 'tab'>,
  snapshot: Snapshot,
  ...lines: readonly string[]
): Promise<readonly Content[]> {
  return textResult(
    ...lines,
    ...describeEvents(tab.log),
    await describePage(tab.page, snapshot.text, describeSnapshot(snapshot)),
  )
}

async function describePage(page: BrowserScope['tab']['page'], snapshot: string, state: string): Promise<string> {
  const title = await page.title().catch(() => '')
  const shown = [...(title === '' ? [] : [`title: ${title.replaceAll(/\s+/g, ' ').slice(0, 200)}`]), snapshot]
  const content = shown.filter((line) => line !== '').join('\n')
  const quoted = content === '' ? [] : [quotePage(content)]
  return [`Page: ${page.url().slice(0, 500)}`, state, ...quoted].join('\n')
}

function describeChanges(text: string): string {
  return text === '' ? 'No changes since the last snapshot.' : 'Changes since the last snapshot:'
}

function describeSnapshot({ shown, total, lastRef }: Snapshot): string {
  if (shown >= total) return 'Snapshot, complete:'
  const more =
    lastRef === undefined
      ? 'Read a part with browser_snapshot and its `ref`, or look for something with `query`.'
      : `Read on with \`after\`: ${lastRef}.`
  return `Snapshot, ${shown} of ${total} elements. ${more}`
}

/** Describes new downloads, and a dialog or a file chooser that waits for an answer. */
function describeEvents({ dialog, fileChooser, downloads }: BrowserScope['tab']['log']): readonly string[] {
  return [
    ...(dialog === undefined
      ? []
      : [
          `The page shows a ${dialog.type()} dialog and waits for browser_handle_dialog.`,
          quotePage(dialog.message().slice(0, 1000)),
        ]),
    ...downloads.splice(0).map((download) => `A download has started: ${quoteName(download.suggestedFilename())}.`),
    ...(fileChooser === undefined ? [] : ['The page waits for files: call browser_file_upload.']),
  ]
}

/** Quotes a short text that a page has chosen. */
function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
