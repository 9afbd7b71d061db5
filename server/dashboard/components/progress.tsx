interface ProgressProps {
  readonly done: number
  readonly total: number
  readonly label: string
}

/** How much of something is done. */
export function Progress({ done, total, label }: ProgressProps) {
  return <progress class="progress" value={total === 0 ? 0 : done} max={total === 0 ? 1 : total} aria-label={label} />
}
