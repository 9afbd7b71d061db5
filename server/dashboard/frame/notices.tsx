import { createContext, type ComponentChildren } from 'preact'
import { useCallback, useContext, useMemo, useState } from 'preact/hooks'
import { ApiError } from '../api/api.ts'
import { Icon } from '../components/icon.tsx'

/** Short messages at the edge of the page. */
export interface Notices {
  /** Shows a success message or an error. */
  readonly notify: (message: string | ApiError) => void
}

interface Notice {
  readonly id: number
  readonly message: string | ApiError
}

const NoticesContext = createContext<Notices>({ notify: () => undefined })
const successMs = 4000
const errorMs = 12_000

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
      notify: (message) => {
        const id = performance.now()
        setNotices((last) => [...last.slice(-2), { id, message }])
        setTimeout(() => drop(id), message instanceof ApiError ? errorMs : successMs)
      },
    }),
    [drop],
  )
  return (
    <NoticesContext.Provider value={value}>
      {children}
      <div class="notices" role="status" aria-live="polite">
        {notices.map(({ id, message }) => (
          <div key={id} class="notice" data-tone={message instanceof ApiError ? 'bad' : 'good'}>
            <Icon name={message instanceof ApiError ? 'warning' : 'check'} />
            <p>
              {message instanceof ApiError ? message.message : message}
              {message instanceof ApiError && message.hint !== undefined && <small>{message.hint}</small>}
            </p>
            <button type="button" class="icon-button" aria-label="Dismiss" title="Dismiss" onClick={() => drop(id)}>
              <Icon name="cross" />
            </button>
          </div>
        ))}
      </div>
    </NoticesContext.Provider>
  )
}
