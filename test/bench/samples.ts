/** Measures once and returns the value, such as milliseconds. */
export type Probe = () => Promise<number>

/** The quantile `share` (0 to 1) of the samples, by the nearest rank. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** The median of the samples. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/**
 * Runs every probe once per round in random order, so that other load affects all of them alike.
 * The first round is a warm-up and not counted.
 */
export async function interleave<Name extends string>(
  probes: Readonly<Record<Name, Probe>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(probes) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of shuffled(names)) {
      const sample = await probes[name]()
      if (round > 0) samples[name].push(sample)
    }
  }
  return samples
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
