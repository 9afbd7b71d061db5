import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { toFault } from '../api/call.ts'
import { FaultNote } from '../components/fault-note.tsx'
import { Page } from '../components/page.tsx'

/** Shows a page, or why it could not be drawn: the navigation beside it works on. */
export function Safe({ children }: { readonly children: ComponentChildren }) {
  const [error, tryAgain] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  return (
    <Page title="This page could not be drawn">
      <FaultNote fault={toFault(error)} onRetry={tryAgain} />
    </Page>
  )
}
