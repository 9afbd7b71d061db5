import type { ComponentChildren } from 'preact'
import { linkTo } from './route.ts'
import { Icon } from '../components/icon.tsx'

/** A link back to the list. */
export function BackLink({ to, children }: { readonly to: readonly string[]; readonly children: ComponentChildren }) {
  return (
    <a class="back" href={linkTo(to)}>
      <Icon name="back" />
      {children}
    </a>
  )
}
