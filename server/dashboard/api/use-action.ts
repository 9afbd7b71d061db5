import { useEffect, useState } from 'preact/hooks'
import { toFault, type Api, type Fault } from './call.ts'
import { useApi } from './context.ts'
import { useNotices } from '../frame/notices.tsx'

/** Something that a button does at the server. */
export interface Action<Input> {
  /** Does it. True when it went well. */
  readonly run: (input: Input) => Promise<boolean>
  readonly isRunning: boolean
}

/** Something that a form does at the server. */
export interface FormAction<Input> extends Action<Input> {
  /** Does it. True when it went well and the form is still there. */
  readonly run: (input: Input) => Promise<boolean>
  /** Why it did not go well the last time. */
  readonly fault: Fault | undefined
}

/** Makes an action of a call. A fault is shown as a notice. */
export function useAction<Input>(act: (api: Api, input: Input) => Promise<unknown>): Action<Input> {
  const api = useApi()
  const { tell } = useNotices()
  const [isRunning, setIsRunning] = useState(false)
  const run = async (input: Input): Promise<boolean> => {
    setIsRunning(true)
    try {
      await act(api, input)
      return true
    } catch (error) {
      tell(toFault(error))
      return false
    } finally {
      setIsRunning(false)
    }
  }
  return { run, isRunning }
}

/**
 * Makes an action of the call of a form, whose fault the form shows itself: a notice would be under its window. `signal` is
 * aborted when the form is closed: what is made after that nobody wants.
 */
export function useFormAction<Input>(
  act: (api: Api, input: Input, signal: AbortSignal) => Promise<unknown>,
): FormAction<Input> {
  const api = useApi()
  const [gone] = useState(() => new AbortController())
  const [isRunning, setIsRunning] = useState(false)
  const [fault, setFault] = useState<Fault>()
  useEffect(() => () => gone.abort(), [gone])
  const run = async (input: Input): Promise<boolean> => {
    setIsRunning(true)
    setFault(undefined)
    try {
      await act(api, input, gone.signal)
      return !gone.signal.aborted
    } catch (error) {
      setFault(toFault(error))
      return false
    } finally {
      setIsRunning(false)
    }
  }
  return { run, isRunning, fault }
}
