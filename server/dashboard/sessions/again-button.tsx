import { useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { NewSession } from './new-session.tsx'
import type { SessionTemplate } from './session-template.ts'

interface AgainButtonProps {
  readonly label: string
  readonly template: SessionTemplate
}

/** A button that opens the form for a new session with the options of an earlier one. */
export function AgainButton({ label, template }: AgainButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class="button"
        title="Opens the form for a new session with these options"
        onClick={() => setIsOpen(true)}
      >
        <Icon name="reload" />
        {label}
      </button>
      {isOpen && <NewSession template={template} onClose={() => setIsOpen(false)} />}
    </>
  )
}
