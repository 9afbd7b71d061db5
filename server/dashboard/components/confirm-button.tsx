import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'

interface ConfirmButtonProps {
  readonly icon?: IconName
  readonly label: string
  /** First words of the label, shown in a small button. The label remains its accessible name. */
  readonly shortLabel?: string
  /** Title of the confirmation dialog. */
  readonly question: string
  readonly text: ComponentChildren
  readonly isRunning?: boolean
  readonly isDisabled?: boolean
  readonly onConfirm: () => void
}

/** A button that asks for confirmation, for actions that cannot be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { icon, label, shortLabel, question, text, isRunning = false, isDisabled = false, onConfirm } = props
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        class={shortLabel === undefined ? 'button danger' : 'button small danger'}
        aria-label={label}
        disabled={isRunning || isDisabled}
        onClick={() => setIsAsking(true)}
      >
        {icon !== undefined && <Icon name={icon} />}
        {shortLabel ?? label}
      </button>
      {isAsking && (
        <Dialog title={question} onClose={() => setIsAsking(false)}>
          <p>{text}</p>
          <div class="row end">
            <button type="button" class="button" onClick={() => setIsAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="button primary bad"
              autofocus
              onClick={() => {
                setIsAsking(false)
                onConfirm()
              }}
            >
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
