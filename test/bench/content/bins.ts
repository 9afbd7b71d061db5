/** Most bins of a feature. */
export const maxBins = 64

/** Rows of features as bins. */
export interface BinnedRows {
  readonly count: number
  /** The bins of one feature in all rows. */
  readonly columns: readonly Uint8Array[]
  readonly cuts: readonly Float32Array[]
}

const sampleSize = 20_000

/**
 * Finds the cuts of every feature into at most `maxBins` bins: between all values, or at quantiles.
 */
export function findCuts(rows: readonly Float32Array[], random: () => number): readonly Float32Array[] {
  const width = rows[0]?.length ?? 0
  const sample = rows.filter(() => random() < sampleSize / rows.length)
  return Array.from({ length: width }, (_, feature) => {
    const values = Float32Array.from(sample, (row) => row[feature]!).sort()
    const distinct = [...new Set(values)]
    const cuts = new Set<number>()
    if (distinct.length <= maxBins)
      for (let index = 1; index < distinct.length; index++) cuts.add((distinct[index - 1]! + distinct[index]!) / 2)
    else for (let bin = 1; bin < maxBins; bin++) cuts.add(values[Math.floor((bin * values.length) / maxBins)]!)
    return Float32Array.from(cuts).sort()
  })
}

/** Replaces values by the number of cuts at or below them. */
export function binRows(rows: readonly Float32Array[], cuts: readonly Float32Array[]): BinnedRows {
  const columns = cuts.map(() => new Uint8Array(rows.length))
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!
    for (let feature = 0; feature < cuts.length; feature++)
      columns[feature]![index] = binOf(row[feature]!, cuts[feature]!)
  }
  return { count: rows.length, columns, cuts }
}

function binOf(value: number, cuts: Float32Array): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (cuts[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}
