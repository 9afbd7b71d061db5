import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  /** Ignores clicks on the backdrop, so that no input is lost. */
  readonly ignoresBackdrop?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog. */
export function Dialog({ title, ignoresBackdrop = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // A layout effect, so that what is typed next goes to the dialog.
  useLayoutEffect(() => {
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
      onClick={(event) => !ignoresBackdrop && event.target === dialog.current && onClose()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" title="Close (Escape)" onClick={onClose}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
