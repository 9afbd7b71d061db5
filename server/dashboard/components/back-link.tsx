import type { ComponentChildren } from 'preact'
import { linkTo } from '../frame/route.ts'
import { Icon } from './icon.tsx'

/** A link back to the list. */
export function BackLink({ to, children }: { readonly to: readonly string[]; readonly children: ComponentChildren }) {
  return (
    <a class="back" href={linkTo(to)}>
      <Icon name="back" />
      {children}
    </a>
  )
}
