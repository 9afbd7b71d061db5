/** What a field was and is. A side on which it is missing is null. */
export interface FieldChange {
  readonly previous: unknown
  readonly current: unknown
}

/** The fields that differ between two JSON values, by their paths, such as `plans[0].price`; the whole value is `$`. */
export function diffJson(before: unknown, after: unknown): Readonly<Record<string, FieldChange>> {
  const left = new Map(leavesOf(before, ''))
  const right = new Map(leavesOf(after, ''))
  const paths = new Set([...left.keys(), ...right.keys()])
  return Object.fromEntries(
    [...paths]
      .filter((path) => JSON.stringify(left.get(path)) !== JSON.stringify(right.get(path)))
      .map((path) => [path, { previous: left.get(path) ?? null, current: right.get(path) ?? null }]),
  )
}

function* leavesOf(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path === '' ? '$' : path, value]
    return
  }
  const entries = Object.entries(value)
  // Empty, it is a leaf: else an emptied list would be no change.
  if (entries.length === 0) yield [path === '' ? '$' : path, value]
  for (const [key, inner] of entries) {
    yield* leavesOf(inner, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
  }
}
