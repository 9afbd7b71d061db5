import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  /** A click beside it does not close it, since what was typed, or is shown this once, would be lost. */
  readonly staysOpen?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A window above the page, which keeps the keyboard until it is closed. */
export function Dialog({ title, staysOpen = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    element?.querySelector<HTMLElement>('[autofocus], form input, form select, form textarea')?.focus()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => !staysOpen && event.target === dialog.current && onClose()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
