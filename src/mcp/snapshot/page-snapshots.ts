import type { Locator, Page } from 'playwright-core'
import { BowlineError } from '../../kit/errors.ts'
import { chooseInOrder, chooseRelevant, type ChoiceOptions, type ChosenNodes } from './choose-nodes.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { isInViewport, wordsOfQuery, type RelevanceOptions } from './relevance.ts'
import { renderSnapshot } from './render-snapshot.ts'
import { isTransparent } from './snapshot-line.ts'
import { maxTreeNodes, toSnapshotTree, walk, type SnapshotNode, type SnapshotTree } from './snapshot-node.ts'
import { withoutRefs, TreeIndex, type ShownElement } from './tree-index.ts'

/** Settings of a snapshot of a page. */
export interface SnapshotOptions {
  /** Maximum size of the snapshot in estimated tokens. */
  readonly maxTokens: number
  /** Words that the reader looks for. Matching elements come first. */
  readonly query?: string | undefined
  /** Ref of the element to read in full. Default: an overview of the page. */
  readonly target?: string | undefined
  /** Ref behind which reading goes on. Only with `target`. */
  readonly after?: string | undefined
  /** Whether links show their URL. Default: false. */
  readonly hasUrls?: boolean | undefined
}

/** A bounded snapshot of a page. */
export interface Snapshot {
  readonly text: string
  /** Number of shown elements and texts, and their total number. */
  readonly shown: number
  readonly total: number
  /** Ref of the last shown element, if there is more behind it. Only with `target`. */
  readonly lastRef?: string | undefined
}

/**
 * Takes bounded snapshots of one page, and knows what its reader has seen. The refs that it has
 * shown are valid until their element is gone, or another snapshot shows something else under them.
 */
export class PageSnapshots {
  readonly #page: Page
  #last: TreeIndex | undefined
  /** Elements as they were shown, by ref. */
  #shown = new Map<string, ShownElement>()
  /** Current refs of shown elements whose ref has changed. */
  #renamed = new Map<string, string>()
  /** Elements inside the viewport in the last snapshot. */
  #inView = new Set<string>()

  constructor(page: Page) {
    this.#page = page
    // A new document numbers its elements anew.
    page.on('domcontentloaded', () => this.forget())
  }

  /** Whether nothing of the current document was shown yet. */
  get isEmpty(): boolean {
    return this.#last === undefined
  }

  /** Clears the shown elements, so that their refs are rejected. */
  forget(): void {
    this.#last = undefined
    this.#shown.clear()
    this.#renamed.clear()
  }

  /** Shows the page, or the part below `target`. */
  async take(options: SnapshotOptions): Promise<Snapshot> {
    const { root, viewport, isTruncated } = await this.#read()
    const index = new TreeIndex(root)
    const target = options.target === undefined ? undefined : index.find(this.#currentRef(options.target))
    if (options.target !== undefined && target === undefined) throw unknownRef(options.target)
    const choice = { viewport, words: wordsOfQuery(options.query ?? ''), hasUrls: options.hasUrls ?? false }
    const start = target ?? root
    const after = options.after === undefined ? undefined : this.#currentRef(options.after)
    const isReading = target !== undefined && choice.words.length === 0
    const { chosen, text } = fit(start, options.maxTokens, (maxTokens) =>
      isReading
        ? chooseInOrder(start, { ...choice, maxTokens }, after)
        : chooseRelevant(start, { ...choice, maxTokens }),
    )
    this.#remember(index, chosen, viewport)
    const total = [...walk(start)].filter((node) => !isTransparent(node)).length
    const lastRef = isReading ? lastRefOf(start, chosen) : undefined
    return { text: withTruncationNote(text, isTruncated), shown: chosen.size, total, lastRef }
  }

  /**
   * Shows what has changed since the last snapshot, and what has come into view. Shows the page if
   * there was none, or if most of it has changed.
   */
  async takeChanges(maxTokens: number): Promise<Snapshot & { readonly isChanges: boolean }> {
    const before = this.#last
    if (before === undefined) return { ...(await this.take({ maxTokens })), isChanges: false }
    const { root, viewport, isTruncated } = await this.#read()
    const index = new TreeIndex(root)
    const changed = new Set([...index.changesSince(before)].flatMap(withoutRefs))
    const total = [...walk(root)].filter((node) => !isTransparent(node)).length
    if (changed.size > 20 && changed.size > total * 0.6)
      return { ...(await this.take({ maxTokens })), isChanges: false }
    const news = [...walk(root)].filter((node) => changed.has(node) || this.#isNewInView(node, viewport))
    const removed = [...index.removedSince(before)].filter(({ ref }) => this.#shown.has(ref))
    const { chosen, text } = fit(
      root,
      maxTokens,
      (limit) =>
        chooseRelevant(root, { viewport, words: [], preferred: changed, hasUrls: false, maxTokens: limit }, news),
      { hasCounts: false },
    )
    const missed = news.filter((node) => !isTransparent(node) && !chosen.has(node)).length
    this.#followRenames(before, index)
    this.#forgetUnseen(changed, chosen)
    this.#remember(index, chosen, viewport)
    const lines = [
      text,
      ...describeRemoved(removed, this.#renamed),
      ...(missed > 0 ? [`- … ${missed} more changes`] : []),
    ]
    const changes = lines.filter((line) => line !== '').join('\n')
    return { text: withTruncationNote(changes, isTruncated), shown: chosen.size, total, isChanges: true }
  }

  /** Returns the locator of an element that was shown. Throws TARGET_NOT_FOUND for other refs. */
  locate(ref: string): Locator {
    const current = this.#currentRef(ref)
    if (!this.#shown.has(current)) throw unknownRef(ref)
    return this.#page.locator(`aria-ref=${current}`)
  }

  #currentRef(ref: string): string {
    let current = ref.replace(/^(?:ref=|@)/, '')
    for (let next = this.#renamed.get(current); next !== undefined; next = this.#renamed.get(current)) current = next
    return current
  }

  async #read(): Promise<SnapshotTree & { readonly viewport: RelevanceOptions['viewport'] }> {
    const [json, viewport] = await Promise.all([
      this.#page.ariaSnapshotJSON({ mode: 'ai', boxes: true, timeout: snapshotTimeoutMs }),
      this.#page.evaluate<RelevanceOptions['viewport']>('({ width: innerWidth, height: innerHeight })'),
    ])
    return { ...toSnapshotTree(json), viewport }
  }

  #isNewInView(node: SnapshotNode, viewport: RelevanceOptions['viewport']): boolean {
    if (!isInViewport(node.box, viewport)) return false
    const { ref } = node.ref === '' && node.parent !== undefined ? node.parent : node
    return ref !== '' && !this.#shown.has(ref) && !this.#inView.has(ref)
  }

  #remember(index: TreeIndex, chosen: ChosenNodes, viewport: RelevanceOptions['viewport']): void {
    this.#last = index
    for (const node of chosen.keys()) {
      if (node.ref !== '') this.#shown.set(node.ref, index.describe(node))
      // Hidden parts are announced with the ref of an element above them.
      for (let at = node.parent; at !== undefined; at = at.parent) {
        if (at.ref !== '') this.#shown.set(at.ref, index.describe(at))
      }
    }
    this.#inView = new Set(
      [...walk(index.root)].filter(({ ref, box }) => ref !== '' && isInViewport(box, viewport)).map(({ ref }) => ref),
    )
  }

  /** Keeps the refs of shown elements valid whose name has changed. */
  #followRenames(before: TreeIndex, index: TreeIndex): void {
    for (const [ref, earlier] of this.#shown) {
      if (index.find(ref) !== undefined) continue
      const replacement = index.findReplacement(earlier, before)
      if (replacement === undefined) this.#shown.delete(ref)
      else {
        this.#renamed.set(ref, replacement.ref)
        this.#shown.set(replacement.ref, index.describe(replacement))
      }
    }
  }

  /** Rejects refs of elements that have changed since they were shown. */
  #forgetUnseen(changed: ReadonlySet<SnapshotNode>, chosen: ChosenNodes): void {
    for (const node of changed) {
      const earlier = this.#shown.get(node.ref)
      if (earlier !== undefined && !chosen.has(node) && earlier.role !== node.role) this.#shown.delete(node.ref)
    }
  }
}

const snapshotTimeoutMs = 15_000

/** Renders a choice within `maxTokens`, including the lines about hidden parts. */
function fit(
  root: SnapshotNode,
  maxTokens: number,
  choose: (maxTokens: ChoiceOptions['maxTokens']) => ChosenNodes,
  options: { readonly hasCounts?: boolean } = {},
): { readonly chosen: ChosenNodes; readonly text: string } {
  for (let limit = maxTokens; ; limit *= 0.85) {
    const chosen = choose(limit)
    const text = renderSnapshot(root, chosen, options)
    if (estimateTokens(text) <= maxTokens || chosen.size === 0) return { chosen, text }
  }
}

function withTruncationNote(text: string, isTruncated: boolean): string {
  return isTruncated
    ? `${text}\n- … the page has more than ${maxTreeNodes} elements and texts; the snapshot has only the first ${maxTreeNodes}`
    : text
}

function lastRefOf(start: SnapshotNode, chosen: ChosenNodes): string | undefined {
  const shown = [...chosen.keys()]
  const all = [...walk(start)].filter((node) => !isTransparent(node))
  return shown.at(-1) === all.at(-1) ? undefined : shown.findLast(({ ref }) => ref !== '')?.ref
}

function describeRemoved(removed: readonly SnapshotNode[], renamed: ReadonlyMap<string, string>): readonly string[] {
  const gone = removed.filter(({ ref }) => !renamed.has(ref))
  const named = gone.filter(({ isInteractive, role }) => isInteractive || role === 'dialog' || role === 'heading')
  if (named.length === 0) return []
  const names = named.slice(0, 8).map(({ role, name, ref }) => `${role} "${name.slice(0, 60)}" [${ref}]`)
  return [`- removed: ${names.join(', ')}${named.length > 8 ? ` and ${named.length - 8} more` : ''}`]
}

function unknownRef(ref: string): BowlineError {
  return new BowlineError('TARGET_NOT_FOUND', `No element ${ref} was shown of this page, or it is gone`, {
    hint: 'Call browser_snapshot for current refs, with `query` to look for an element.',
  })
}
