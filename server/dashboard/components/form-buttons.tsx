import { useEffect, useRef } from 'preact/hooks'
import type { FormAction } from '../api/use-action.ts'
import { FaultNote } from './fault-note.tsx'

interface FormButtonsProps {
  /** Label of the submit button. */
  readonly label: string
  readonly action: Pick<FormAction<never>, 'isRunning' | 'fault'>
  readonly onCancel: () => void
}

/** The error message and the buttons at the end of a dialog's form. */
export function FormButtons({ label, action: { isRunning, fault }, onCancel }: FormButtonsProps) {
  const buttons = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (fault !== undefined) buttons.current?.scrollIntoView({ block: 'nearest' })
  }, [fault])
  return (
    <>
      <FaultNote fault={fault} />
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
