import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { openAccount, rememberedKey, rememberKey, type Account } from './api/account.ts'
import { toApiError } from './api/api.ts'
import { AccountContext } from './api/context.ts'
import { NoticesProvider } from './frame/notices.tsx'
import { ErrorBoundary } from './frame/error-boundary.tsx'
import { useRoute } from './frame/route.ts'
import { Shell } from './frame/shell.tsx'
import { CommandPalette } from './palette/command-palette.tsx'
import { pageOf } from './pages.tsx'
import { SignIn } from './sign-in.tsx'

/** The dashboard: the sign-in page, or the pages behind it. */
export function App() {
  const route = useRoute()
  const [account, setAccount] = useState<Account>()
  const [isOpening, setIsOpening] = useState(() => rememberedKey() !== undefined)
  const [notice, setNotice] = useState<string>()
  /** The key of the last sign-in. */
  const signedInKey = useRef(rememberedKey())

  const signOut = useCallback((why?: string) => {
    rememberKey(undefined)
    signedInKey.current = undefined
    setAccount(undefined)
    setNotice(why)
  }, [])
  const signIn = useCallback(
    async (key: string) => {
      const onUnauthorized = (): void => {
        // Another key may be signed in by the time an old request fails.
        if (signedInKey.current === key) signOut('This API key is no longer valid.')
      }
      const opened = await openAccount(key, onUnauthorized)
      rememberKey(key)
      signedInKey.current = key
      setNotice(undefined)
      setAccount(opened)
    },
    [signOut],
  )
  useEffect(() => {
    const key = rememberedKey()
    if (key === undefined) return
    signIn(key)
      .catch((error: unknown) => signedInKey.current === key && setNotice(toApiError(error).message))
      .finally(() => setIsOpening(false))
  }, [signIn])

  if (isOpening) return <div class="opening" role="status" aria-label="Loading" />
  if (account === undefined) return <SignIn onSignIn={signIn} notice={notice} />
  return (
    <AccountContext.Provider value={account}>
      <NoticesProvider>
        <Shell
          route={route}
          onSignOut={() => signOut()}
          renderPalette={(onClose) => <CommandPalette onClose={onClose} />}
        >
          <ErrorBoundary key={route.section}>{pageOf(route)}</ErrorBoundary>
        </Shell>
      </NoticesProvider>
    </AccountContext.Provider>
  )
}
