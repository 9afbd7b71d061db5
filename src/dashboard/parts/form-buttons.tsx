interface FormButtonsProps {
  /** On the button that sends the form. */
  readonly label: string
  readonly isRunning: boolean
  readonly onCancel: () => void
}

/** The end of a form in a window. */
export const FormButtons = ({ label, isRunning, onCancel }: FormButtonsProps) => (
  <div class="row end">
    <button type="button" class="button" onClick={onCancel}>
      Cancel
    </button>
    <button type="submit" class="button primary" disabled={isRunning}>
      {isRunning ? 'One moment…' : label}
    </button>
  </div>
)
