import { createContext, type ComponentChildren } from 'preact'
import { useCallback, useContext, useMemo, useState } from 'preact/hooks'
import { Fault } from '../api/call.ts'
import { Icon } from '../components/icon.tsx'

/** Short messages at the edge of the page. */
export interface Notices {
  /** Shows what went well, or what did not. */
  readonly tell: (message: string | Fault) => void
}

interface Notice {
  readonly id: number
  readonly message: string | Fault
}

const NoticesContext = createContext<Notices>({ tell: () => undefined })
const goodMs = 4000
const badMs = 12_000

/** The notices of the page. */
export function useNotices(): Notices {
  return useContext(NoticesContext)
}

/** Shows notices above its children. */
export function NoticesProvider({ children }: { readonly children: ComponentChildren }) {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const drop = useCallback((id: number) => setNotices((last) => last.filter((notice) => notice.id !== id)), [])
  const value = useMemo<Notices>(
    () => ({
      tell: (message) => {
        const id = performance.now()
        setNotices((last) => [...last.slice(-2), { id, message }])
        setTimeout(() => drop(id), message instanceof Fault ? badMs : goodMs)
      },
    }),
    [drop],
  )
  return (
    <NoticesContext.Provider value={value}>
      {children}
      <div class="notices" role="status" aria-live="polite">
        {notices.map(({ id, message }) => (
          <div key={id} class="notice" data-tone={message instanceof Fault ? 'bad' : 'good'}>
            <Icon name={message instanceof Fault ? 'warning' : 'check'} />
            <p>
              {message instanceof Fault ? message.message : message}
              {message instanceof Fault && message.hint !== undefined && <small>{message.hint}</small>}
            </p>
            <button type="button" class="icon-button" aria-label="Close this message" onClick={() => drop(id)}>
              <Icon name="cross" />
            </button>
          </div>
        ))}
      </div>
    </NoticesContext.Provider>
  )
}
