import type { ComponentChildren } from 'preact'

interface NumeralProps {
  readonly title: string
  readonly value: string
  /** A few words below. */
  readonly children?: ComponentChildren
}

/** One number, large. */
export function Numeral({ title, value, children }: NumeralProps) {
  return (
    <section class="numeral">
      <h2>{title}</h2>
      <b>{value}</b>
      <small>{children}</small>
    </section>
  )
}
