import type { ComponentChildren } from 'preact'
import { Empty } from '../components/empty.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { formatDuration } from '../components/format.ts'
import { Snippet, type Snippets } from '../components/snippet.tsx'
import { Waiting } from '../components/waiting.tsx'
import type { Try } from './use-try.ts'

interface TrialFrameProps<Answer> {
  readonly attempt: Try<Answer>
  readonly snippets: Snippets
  /** The options of the call. */
  readonly form: ComponentChildren
  readonly showAnswer: (answer: Answer, note: string) => ComponentChildren
}

/** A form on one side; what came of it on the other; the same as code below. */
export function TrialFrame<Answer>({ attempt, snippets, form, showAnswer }: TrialFrameProps<Answer>) {
  const { trial } = attempt
  return (
    <div class="trial">
      {form}
      <section class="answer" aria-label="Answer" aria-busy={trial.state === 'running'} data-state={trial.state}>
        {trial.state === 'idle' && (
          <Empty icon="play" title="Nothing tried yet">
            <p>Fill in the form and press Enter. The answer shows here.</p>
          </Empty>
        )}
        {trial.state === 'running' && <Waiting rows={8} />}
        {trial.state === 'failed' && <FaultNote fault={trial.fault} />}
        {trial.state === 'done' && showAnswer(trial.answer, formatDuration(trial.durationMs))}
      </section>
      <section class="block code">
        <h2>As code</h2>
        <Snippet snippets={snippets} />
      </section>
    </div>
  )
}
