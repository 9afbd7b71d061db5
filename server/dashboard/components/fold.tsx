import type { ComponentChildren } from 'preact'

interface FoldProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** Folded inputs. Unfolds if one of them is invalid, so that the browser can show why. */
export function Fold({ title, children }: FoldProps) {
  return (
    <details class="fold" onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}>
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  )
}
