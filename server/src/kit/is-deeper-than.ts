/** Whether a JSON value has more than `levels` levels of objects and arrays. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let nodes = [value].filter(isNested)
  for (let level = 0; level < levels && nodes.length > 0; level += 1) {
    nodes = nodes.flatMap((node): readonly unknown[] => Object.values(node)).filter(isNested)
  }
  return nodes.length > 0
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
