import { useState } from 'preact/hooks'
import type { Api } from './call.ts'
import { Fault } from './call.ts'
import { useApi } from './context.ts'
import { useNotices } from '../frame/notices.tsx'

/** Something that a button does at the server. */
export interface Action<Input> {
  /** Does it. True when it went well; a fault is shown as a notice. */
  readonly run: (input: Input) => Promise<boolean>
  readonly isRunning: boolean
}

/** Makes an action of a call. */
export const useAction = <Input>(act: (api: Api, input: Input) => Promise<unknown>): Action<Input> => {
  const api = useApi()
  const { tell } = useNotices()
  const [isRunning, setIsRunning] = useState(false)
  const run = async (input: Input): Promise<boolean> => {
    setIsRunning(true)
    try {
      await act(api, input)
      return true
    } catch (error) {
      tell(error instanceof Fault ? error : new Fault(0, { error: String(error) }))
      return false
    } finally {
      setIsRunning(false)
    }
  }
  return { run, isRunning }
}
