import type { ComponentChildren } from 'preact'
import { linkTo } from '../frame/route.ts'
import { Icon } from './icon.tsx'

/** The way back to the list. */
export function Back({ to, children }: { readonly to: readonly string[]; readonly children: ComponentChildren }) {
  return (
    <a class="back" href={linkTo(to)}>
      <Icon name="back" />
      {children}
    </a>
  )
}
