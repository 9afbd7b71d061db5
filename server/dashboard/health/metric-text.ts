/** A sample of the Prometheus text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses the Prometheus text format. */
export function readMetrics(text: string): readonly Sample[] {
  return text
    .split('\n')
    .map((line) => /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)/i.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', labels = '', value]) => ({ name, labels: readLabels(labels), value: Number(value) }))
}

/** Sums all samples of a metric. */
export function sumOf(samples: readonly Sample[], name: string): number {
  return samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0)
}

function readLabels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
}
