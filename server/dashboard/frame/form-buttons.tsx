import { useEffect, useRef } from 'preact/hooks'
import type { FormAction } from './use-action.ts'
import { ErrorNote } from '../components/error-note.tsx'

interface FormButtonsProps {
  /** Label of the submit button. */
  readonly label: string
  readonly action: Pick<FormAction<never>, 'isRunning' | 'apiError'>
  readonly onCancel: () => void
}

/** The error message and the buttons at the end of a dialog's form. */
export function FormButtons({ label, action: { isRunning, apiError }, onCancel }: FormButtonsProps) {
  const buttons = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (apiError !== undefined) buttons.current?.scrollIntoView({ block: 'nearest' })
  }, [apiError])
  return (
    <>
      <ErrorNote apiError={apiError} />
      <div ref={buttons} class="row end">
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={isRunning}>
          {isRunning ? 'Working…' : label}
        </button>
      </div>
    </>
  )
}
