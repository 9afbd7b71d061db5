import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { openAccount, rememberedKey, rememberKey, type Account } from './api/account.ts'
import { toFault } from './api/call.ts'
import { AccountContext } from './api/context.ts'
import { NoticesProvider } from './frame/notices.tsx'
import { Safe } from './frame/safe.tsx'
import { useRoute } from './frame/route.ts'
import { Shell } from './frame/shell.tsx'
import { pageOf } from './pages.tsx'
import { SignIn } from './sign-in.tsx'

/** The whole dashboard: the way in, or what is behind it. */
export function App() {
  const route = useRoute()
  const [account, setAccount] = useState<Account>()
  const [isOpening, setIsOpening] = useState(() => rememberedKey() !== undefined)
  const [notice, setNotice] = useState<string>()
  /** The key that was signed in with last. */
  const current = useRef(rememberedKey())

  const signOut = useCallback((why?: string) => {
    rememberKey(undefined)
    current.current = undefined
    setAccount(undefined)
    setNotice(why)
  }, [])
  const signIn = useCallback(
    async (key: string) => {
      const onRefused = (): void => {
        // Somebody else may have signed in by the time an old request is answered.
        if (current.current === key) signOut('The server does not know this key any more.')
      }
      const opened = await openAccount(key, onRefused)
      rememberKey(key)
      current.current = key
      setNotice(undefined)
      setAccount(opened)
    },
    [signOut],
  )
  useEffect(() => {
    const key = rememberedKey()
    if (key === undefined) return
    signIn(key)
      .catch((error: unknown) => current.current === key && setNotice(toFault(error).message))
      .finally(() => setIsOpening(false))
  }, [signIn])

  if (isOpening) return <div class="opening" role="status" aria-label="Loading" />
  if (account === undefined) return <SignIn onSignIn={signIn} notice={notice} />
  return (
    <AccountContext.Provider value={account}>
      <NoticesProvider>
        <Shell route={route} onSignOut={() => signOut()}>
          <Safe key={route.place}>{pageOf(route)}</Safe>
        </Shell>
      </NoticesProvider>
    </AccountContext.Provider>
  )
}
