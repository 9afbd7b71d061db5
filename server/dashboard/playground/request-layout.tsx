import type { ComponentChildren } from 'preact'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDuration } from '../components/format.ts'
import { Snippet, type Snippets } from '../components/snippet.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import type { RequestRunner } from './use-request.ts'

interface RequestLayoutProps<Result> {
  readonly request: Pick<RequestRunner<never, Result>, 'state'>
  readonly snippets: Snippets
  /** The options of the request. */
  readonly form: ComponentChildren
  readonly renderResult: (result: Result, note: string) => ComponentChildren
}

/** A form next to its response, with code snippets below. */
export function RequestLayout<Result>({ request, snippets, form, renderResult }: RequestLayoutProps<Result>) {
  const { state } = request
  return (
    <div class="request">
      {form}
      <section class="result" aria-label="Response" aria-busy={state.status === 'running'} data-state={state.status}>
        {state.status === 'idle' && (
          <Empty icon="play" title="No request yet">
            <p>Fill in the form and press Enter. The response appears here.</p>
          </Empty>
        )}
        {state.status === 'running' && <Skeleton rows={8} />}
        {state.status === 'failed' && <ErrorNote apiError={state.apiError} />}
        {state.status === 'done' && renderResult(state.result, formatDuration(state.durationMs))}
      </section>
      <section class="block code">
        <h2>As code</h2>
        <Snippet snippets={snippets} />
      </section>
    </div>
  )
}
