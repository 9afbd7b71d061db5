interface ProgressProps {
  readonly done: number
  readonly total: number
  readonly label: string
}

/** A progress bar. */
export function Progress({ done, total, label }: ProgressProps) {
  return <progress class="progress" value={total === 0 ? 0 : done} max={total === 0 ? 1 : total} aria-label={label} />
}
