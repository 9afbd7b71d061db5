/** Values of a field before and after. `null` if it is missing. */
export interface FieldChange {
  readonly previous: unknown
  readonly current: unknown
}

/**
 * Returns the fields that differ between two JSON values by path, such as `plans[0].price`. The
 * path of the whole value is `$`.
 */
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
  // Empty containers are leaves, so that emptying a list is a change.
  if (entries.length === 0) yield [path === '' ? '$' : path, value]
  for (const [key, inner] of entries) {
    yield* leavesOf(inner, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
  }
}
