import { relevanceOf, type RelevanceOptions } from './relevance.ts'
import { formatLine, isTransparent, lineTokens, type LineOptions } from './snapshot-line.ts'
import { walk, type SnapshotNode } from './snapshot-node.ts'

/** The nodes to show, each with its line. */
export type ChosenNodes = ReadonlyMap<SnapshotNode, string>

/** Settings of a choice. */
export interface ChoiceOptions extends RelevanceOptions {
  readonly maxTokens: number
  readonly hasUrls: boolean
}

/** Length of texts in an overview, in characters. */
const overviewLength = 160

/**
 * Chooses the most relevant nodes of a tree that fit into `maxTokens`, with the elements around
 * them. Only `candidates` are considered, if given.
 */
export function chooseRelevant(
  root: SnapshotNode,
  options: ChoiceOptions,
  candidates: Iterable<SnapshotNode> = walk(root),
): ChosenNodes {
  const budget = new LineBudget(root, { ...options, maxTextLength: overviewLength })
  const ranked = [...candidates]
    .filter((node) => !isTransparent(node))
    .map((node) => ({ node, relevance: relevanceOf(node, options) }))
    // Sorting is stable, so equally relevant nodes stay in document order.
    .toSorted((one, other) => other.relevance - one.relevance)
  let misses = 0
  for (const { node } of ranked) {
    misses = budget.tryAdd(node) ? 0 : misses + 1
    if (misses > maxMisses) break
  }
  return budget.lines
}

/**
 * Chooses nodes in document order until `maxTokens` are used, starting behind the node with the ref
 * `after`. Texts are longer than in an overview.
 */
export function chooseInOrder(root: SnapshotNode, options: ChoiceOptions, after = ''): ChosenNodes {
  const budget = new LineBudget(root, { ...options, maxTextLength: Math.max(overviewLength, options.maxTokens * 2) })
  let hasStarted = after === ''
  for (const node of walk(root)) {
    if (hasStarted && !isTransparent(node) && !budget.tryAdd(node)) break
    if (node.ref === after) hasStarted = true
  }
  return budget.lines
}

/** Consecutive nodes that do not fit before the selection ends. */
const maxMisses = 30

/** Collects lines within a token budget. */
class LineBudget {
  readonly lines = new Map<SnapshotNode, string>()
  readonly #root: SnapshotNode
  readonly #options: LineOptions
  #tokens: number

  constructor(root: SnapshotNode, { maxTokens, ...options }: LineOptions & { readonly maxTokens: number }) {
    this.#root = root
    this.#options = options
    this.#tokens = maxTokens
  }

  /** Adds a node with all elements around it that are not added yet, if they fit. */
  tryAdd(node: SnapshotNode): boolean {
    if (this.lines.has(node)) return true
    const added: [SnapshotNode, string][] = []
    let cost = 0
    const above = this.#root.parent
    for (let at: SnapshotNode | undefined = node; at !== above && at !== undefined; at = at.parent) {
      if (isTransparent(at) || this.lines.has(at)) continue
      const line = formatLine(at, this.#options)
      cost += lineTokens(line)
      added.push([at, line])
    }
    if (cost > this.#tokens) return false
    this.#tokens -= cost
    for (const [each, line] of added.toReversed()) this.lines.set(each, line)
    return true
  }
}
