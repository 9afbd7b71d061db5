import type { ComponentChildren } from 'preact'

interface StatProps {
  readonly title: string
  readonly value: string
  /** Text below the number. */
  readonly children?: ComponentChildren
}

/** A large number with a title. */
export function Stat({ title, value, children }: StatProps) {
  return (
    <section class="stat">
      <h2>{title}</h2>
      <b>{value}</b>
      <small>{children}</small>
    </section>
  )
}
