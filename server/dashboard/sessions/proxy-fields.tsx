import { Field } from '../components/field.tsx'

/** Proxy of a session as entered. */
export interface EnteredProxy {
  /** Such as `http://proxy.example:3128`. Empty for none. */
  readonly server: string
  readonly username: string
  readonly password: string
}

/** A proxy without any input. */
export const noProxy: EnteredProxy = { server: '', username: '', password: '' }

interface ProxyFieldsProps {
  readonly proxy: EnteredProxy
  readonly onChange: (proxy: EnteredProxy) => void
}

/** Inputs for the proxy of a session. */
export function ProxyFields({ proxy, onChange }: ProxyFieldsProps) {
  const input = (name: 'server' | 'username', placeholder: string) => (
    <input
      autocomplete="off"
      value={proxy[name]}
      placeholder={placeholder}
      onInput={(event) => onChange({ ...proxy, [name]: event.currentTarget.value })}
    />
  )
  return (
    <details class="fold" open={proxy.server !== ''}>
      <summary>Proxy</summary>
      <div class="stack">
        <Field label="Proxy server" hint="http://, https:// or socks5:// and a host.">
          {input('server', 'that of the server')}
        </Field>
        <div class="pair">
          <Field label="Proxy user">{input('username', 'none')}</Field>
          <Field label="Proxy password">
            <input
              type="password"
              autocomplete="new-password"
              value={proxy.password}
              placeholder="none"
              onInput={(event) => onChange({ ...proxy, password: event.currentTarget.value })}
            />
          </Field>
        </div>
      </div>
    </details>
  )
}

/** Reads the proxy as session options. */
export function readProxy({ server, username, password }: EnteredProxy) {
  if (server.trim() === '') return {}
  return {
    proxy: {
      server: server.trim(),
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
    },
  }
}
