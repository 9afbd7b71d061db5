import { useEffect, useState } from 'preact/hooks'
import { toApiError, type Api, type ApiError } from '../api/api.ts'
import { useApi } from '../api/context.ts'
import { useNotices } from './notices.tsx'

/** An API call that is started by a button. */
export interface Action<Input> {
  /** Starts the call. Returns whether it succeeded. */
  readonly run: (input: Input) => Promise<boolean>
  readonly isRunning: boolean
}

/** An API call that is started by a form. */
export interface FormAction<Input> extends Action<Input> {
  /** Starts the call. Returns whether it succeeded and the form is still open. */
  readonly run: (input: Input) => Promise<boolean>
  /** Error of the last call. */
  readonly apiError: ApiError | undefined
}

/** Wraps an API call as an action. Errors are shown as notices. */
export function useAction<Input>(act: (api: Api, input: Input) => Promise<unknown>): Action<Input> {
  const api = useApi()
  const { notify } = useNotices()
  const [isRunning, setIsRunning] = useState(false)
  const run = async (input: Input): Promise<boolean> => {
    setIsRunning(true)
    try {
      await act(api, input)
      return true
    } catch (error) {
      notify(toApiError(error))
      return false
    } finally {
      setIsRunning(false)
    }
  }
  return { run, isRunning }
}

/**
 * Wraps an API call as the action of a form. The form shows its errors itself, since a notice would
 * be behind the dialog. `signal` is aborted when the form is closed, so that the call can undo what
 * it created.
 */
export function useFormAction<Input>(
  act: (api: Api, input: Input, signal: AbortSignal) => Promise<unknown>,
): FormAction<Input> {
  const api = useApi()
  const [closed] = useState(() => new AbortController())
  const [isRunning, setIsRunning] = useState(false)
  const [apiError, setApiError] = useState<ApiError>()
  useEffect(() => () => closed.abort(), [closed])
  const run = async (input: Input): Promise<boolean> => {
    setIsRunning(true)
    setApiError(undefined)
    try {
      await act(api, input, closed.signal)
      return !closed.signal.aborted
    } catch (error) {
      setApiError(toApiError(error))
      return false
    } finally {
      setIsRunning(false)
    }
  }
  return { run, isRunning, apiError }
}
