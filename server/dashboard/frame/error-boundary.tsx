import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { toApiError } from '../api/api.ts'
import { ErrorNote } from '../components/error-note.tsx'
import { Page } from '../components/page.tsx'

/** Renders a page, or the error it throws. The navigation keeps working. */
export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  return (
    <Page title="This page could not be displayed">
      <ErrorNote apiError={toApiError(error)} onRetry={retry} />
    </Page>
  )
}
