import { useEffect, useRef, useState } from 'preact/hooks'
import { rememberedKey } from './api/account.ts'
import { ApiError, toApiError } from './api/api.ts'
import { Field } from './components/field.tsx'
import { ErrorNote } from './components/error-note.tsx'
import { Logo } from './components/logo.tsx'

interface SignInProps {
  /** Throws an `ApiError` if the key is invalid. */
  readonly onSignIn: (key: string) => Promise<void>
  /** Why the user has to sign in again. */
  readonly notice: string | undefined
}

/** The sign-in page. */
export function SignIn({ onSignIn, notice }: SignInProps) {
  // Still stored if the server could not be reached to verify it.
  const [key, setKey] = useState(() => rememberedKey() ?? '')
  const [apiError, setApiError] = useState<ApiError>()
  const [isTrying, setIsTrying] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Sign in · Bowline'
    // `autofocus` works once per document, so not after a sign-out.
    field.current?.focus()
  }, [])

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setIsTrying(true)
    setApiError(undefined)
    await onSignIn(key.trim()).catch((error: unknown) => {
      setApiError(toApiError(error))
      setIsTrying(false)
    })
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>Bowline</h1>
        <p class="lead">Browser sessions, jobs and monitors of this server.</p>
        {notice !== undefined && apiError === undefined && <p class="notice-line">{notice}</p>}
        <Field
          label="API key"
          hint={
            <>
              Printed when the server first starts, or created with <code>bowline keys create</code>. Stored only in
              this tab.
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
            ref={field}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </Field>
        {apiError !== undefined && <ErrorNote apiError={explainUnauthorized(apiError)} />}
        <button type="submit" class="button primary" disabled={isTrying}>
          {isTrying ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}

/** Replaces the message of a 401 for the user who entered the key. */
function explainUnauthorized(apiError: ApiError): ApiError {
  return apiError.status === 401
    ? new ApiError(401, { error: 'Invalid API key', hint: 'Check that it is complete and was not revoked.' })
    : apiError
}
