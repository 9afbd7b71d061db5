import { useAction } from '../frame/use-action.ts'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { endSession } from './session-calls.ts'

interface EndButtonProps {
  readonly id: string
  /** Whether the button is small, as in a list. Default: false. */
  readonly isSmall?: boolean
  readonly onEnded: () => void
}

/** A button that ends a session, after a confirmation. */
export function EndButton({ id, isSmall = false, onEnded }: EndButtonProps) {
  const end = useAction(async (api) => endSession(api, id))
  return (
    <ConfirmButton
      icon="stop"
      label="End"
      {...(isSmall && { shortLabel: 'End' })}
      question="End this session?"
      text="Its clients are disconnected. Changes to its profile are saved, and it is billed."
      isRunning={end.isRunning}
      onConfirm={() => void end.run(undefined).then(onEnded)}
    />
  )
}
