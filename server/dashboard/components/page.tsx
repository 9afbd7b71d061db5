import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ApiError } from '../api/api.ts'

interface PageProps {
  readonly title: string
  /** Title of the browser tab. Default: `title`. */
  readonly tabTitle?: string | undefined
  /** Content above the title, such as a back link. */
  readonly before?: ComponentChildren
  /** One line below the title. */
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A page of the dashboard. */
export function Page({ title, tabTitle = title, before, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${tabTitle} · Bowline`
  }, [tabTitle])
  return (
    <div class="page">
      <header class="page-head">
        <div>
          {before}
          <h1>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="row actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** The lead of a page whose content has not been loaded. */
export function leadOfUnloaded(apiError: ApiError | undefined): string {
  return apiError === undefined ? 'Loading' : 'Not available'
}
