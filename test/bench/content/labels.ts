const longestOverlap = 3_000_000

/** Words as the benchmark counts them. */
export function tokenize(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/**
 * For every text of a page, the share of its words that the labelled content has in the same order.
 */
export function labelTexts(texts: readonly string[], truth: string): readonly number[] {
  const words: string[] = []
  const owners: number[] = []
  const sizes = texts.map((text, index) => {
    const tokens = tokenize(text)
    for (const token of tokens) {
      words.push(token)
      owners.push(index)
    }
    return tokens.length
  })
  const truthWords = tokenize(truth)
  const matched = new Uint8Array(words.length)
  align(words, truthWords, 0, words.length, 0, truthWords.length, 6, matched)
  const hits = sizes.map(() => 0)
  for (const [index, owner] of owners.entries()) if (matched[index] === 1) hits[owner] = (hits[owner] ?? 0) + 1
  return addMovedTexts(
    texts,
    truthWords,
    sizes.map((size, index) => (size === 0 ? 0 : (hits[index] ?? 0) / size)),
  )
}

/** A long text that the label contains elsewhere, in another order, also counts as content. */
function addMovedTexts(
  texts: readonly string[],
  truth: readonly string[],
  labels: readonly number[],
): readonly number[] {
  const grams = new Set(truth.map((_, index) => truth.slice(index, index + 4).join(' ')))
  const taken = new Set(texts.filter((_, index) => (labels[index] ?? 0) > 0.6))
  return texts.map((text, index) => {
    const label = labels[index] ?? 0
    const tokens = tokenize(text)
    if (label > 0.6 || tokens.length < 8 || taken.has(text)) return label
    let found = 0
    for (let at = 0; at + 4 <= tokens.length; at++) if (grams.has(tokens.slice(at, at + 4).join(' '))) found++
    const share = found / (tokens.length - 3)
    if (share > 0.6) taken.add(text)
    return Math.max(label, share > 0.6 ? share : 0)
  })
}

function align(
  left: readonly string[],
  right: readonly string[],
  leftFrom: number,
  leftTo: number,
  rightFrom: number,
  rightTo: number,
  gram: number,
  matched: Uint8Array,
): void {
  const size = (leftTo - leftFrom) * (rightTo - rightFrom)
  if (size <= 0) return
  if (size <= longestOverlap && gram <= 2)
    return matchBySubsequence(left, right, leftFrom, leftTo, rightFrom, rightTo, matched)
  if (gram === 0) return
  const anchors = increasing(uniqueAnchors(left, right, leftFrom, leftTo, rightFrom, rightTo, gram))
  let leftAt = leftFrom
  let rightAt = rightFrom
  for (const [leftAnchor, rightAnchor] of anchors) {
    if (leftAnchor < leftAt || rightAnchor < rightAt) continue
    align(left, right, leftAt, leftAnchor, rightAt, rightAnchor, gram - 1, matched)
    let length = 0
    while (
      leftAnchor + length < leftTo &&
      rightAnchor + length < rightTo &&
      left[leftAnchor + length] === right[rightAnchor + length]
    ) {
      matched[leftAnchor + length] = 1
      length++
    }
    leftAt = leftAnchor + length
    rightAt = rightAnchor + length
  }
  align(left, right, leftAt, leftTo, rightAt, rightTo, gram - 1, matched)
}

function gramsOf(words: readonly string[], from: number, to: number, gram: number): Map<string, number> {
  const at = new Map<string, number>()
  for (let index = from; index + gram <= to; index++) {
    const key = words.slice(index, index + gram).join(' ')
    at.set(key, at.has(key) ? -1 : index)
  }
  return at
}

function uniqueAnchors(
  left: readonly string[],
  right: readonly string[],
  leftFrom: number,
  leftTo: number,
  rightFrom: number,
  rightTo: number,
  gram: number,
): readonly (readonly [number, number])[] {
  const inRight = gramsOf(right, rightFrom, rightTo, gram)
  const anchors: [number, number][] = []
  for (const [key, index] of gramsOf(left, leftFrom, leftTo, gram)) {
    const other = inRight.get(key)
    if (index >= 0 && other !== undefined && other >= 0) anchors.push([index, other])
  }
  return anchors.sort((a, b) => a[0] - b[0])
}

/** The longest run of anchors that increases on both sides. */
function increasing(anchors: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const tails: number[] = []
  const before: number[] = []
  for (const [index, anchor] of anchors.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (anchors[tails[middle]!]![1] < anchor[1]) low = middle + 1
      else high = middle
    }
    before[index] = low > 0 ? tails[low - 1]! : -1
    tails[low] = index
  }
  const run: (readonly [number, number])[] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) run.push(anchors[at]!)
  return run.toReversed()
}

function matchBySubsequence(
  left: readonly string[],
  right: readonly string[],
  leftFrom: number,
  leftTo: number,
  rightFrom: number,
  rightTo: number,
  matched: Uint8Array,
): void {
  const width = rightTo - rightFrom + 1
  const height = leftTo - leftFrom + 1
  const table = new Uint16Array(width * height)
  for (let row = height - 2; row >= 0; row--) {
    for (let column = width - 2; column >= 0; column--) {
      const at = row * width + column
      table[at] =
        left[leftFrom + row] === right[rightFrom + column]
          ? table[at + width + 1]! + 1
          : Math.max(table[at + width]!, table[at + 1]!)
    }
  }
  for (let row = 0, column = 0; row < height - 1 && column < width - 1;) {
    const at = row * width + column
    if (left[leftFrom + row] === right[rightFrom + column]) {
      matched[leftFrom + row++] = 1
      column++
    } else if (table[at + width]! >= table[at + 1]!) row++
    else column++
  }
}
