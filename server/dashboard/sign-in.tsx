import { useEffect, useState } from 'preact/hooks'
import { rememberedKey } from './api/account.ts'
import { Fault, toFault } from './api/call.ts'
import { Field } from './components/field.tsx'
import { FaultNote } from './components/fault-note.tsx'
import { Logo } from './components/logo.tsx'

interface SignInProps {
  /** Throws a `Fault` when the key does not fit. */
  readonly onSignIn: (key: string) => Promise<void>
  /** Why one has to sign in again. */
  readonly notice: string | undefined
}

/** Asks for a key. */
export function SignIn({ onSignIn, notice }: SignInProps) {
  // It is still remembered when the server could not be asked for it.
  const [key, setKey] = useState(() => rememberedKey() ?? '')
  const [fault, setFault] = useState<Fault>()
  const [isTrying, setIsTrying] = useState(false)
  useEffect(() => {
    document.title = 'Sign in · Bowline'
  }, [])

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setIsTrying(true)
    setFault(undefined)
    await onSignIn(key.trim()).catch((error: unknown) => {
      setFault(toFault(error))
      setIsTrying(false)
    })
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>Bowline</h1>
        <p class="lead">Browser sessions, jobs and monitors of this server.</p>
        {notice !== undefined && fault === undefined && <p class="notice-line">{notice}</p>}
        <Field
          label="API key"
          hint={
            <>
              Printed at the server’s first start, or made with <code>bowline keys create</code>. Only this tab keeps
              it.
            </>
          }
        >
          <input
            type="password"
            name="key"
            autocomplete="off"
            spellcheck={false}
            placeholder="bl-…"
            required
            autofocus
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </Field>
        {fault !== undefined && <FaultNote fault={explain(fault)} />}
        <button type="submit" class="button primary" disabled={isTrying}>
          {isTrying ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}

/** What the API calls unauthorized is a wrong key to whoever typed it. */
function explain(fault: Fault): Fault {
  return fault.status === 401
    ? new Fault(401, { error: 'The server does not know this key', hint: 'See that it is whole and was not revoked.' })
    : fault
}
