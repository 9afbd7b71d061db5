import type { Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { BowlineError } from '../kit/errors.ts'

/** Flags that decide where a session connects to. */
export interface NetworkFlags {
  readonly allowDomain?: string[]
  readonly blockDomain?: string[]
  readonly proxy?: string
}

/** Adds the flags `--allow-domain`, `--block-domain` and `--proxy`. */
export function withNetworkFlags(command: Command): Command {
  return command
    .option(
      '--allow-domain <host...>',
      'hosts to which the session may connect, such as shop.example or *.shop.example',
    )
    .option('--block-domain <host...>', 'hosts to which the session may not connect')
    .option('--proxy <url>', 'proxy of the session: http://, https:// or socks5://, with user:password@ if needed')
}

/** The session options of the flags. Throws CONFIG_INVALID for a malformed proxy URL. */
export function networkOf({
  allowDomain,
  blockDomain,
  proxy,
}: NetworkFlags): Pick<CreateSessionOptions, 'allowedDomains' | 'blockedDomains' | 'proxy'> {
  return {
    ...(allowDomain === undefined ? {} : { allowedDomains: allowDomain }),
    ...(blockDomain === undefined ? {} : { blockedDomains: blockDomain }),
    ...(proxy === undefined ? {} : { proxy: readProxy(proxy) }),
  }
}

function readProxy(text: string): CreateSessionOptions['proxy'] {
  const url = URL.parse(text)
  if (url === null)
    throw new BowlineError('CONFIG_INVALID', '`--proxy` is not a URL', {
      hint: 'Use the form http://user:password@proxy.example:3128, https://… or socks5://….',
    })
  const [username, password] = [url.username, url.password].map(decodeURIComponent)
  return {
    server: `${url.protocol}//${url.host}`,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
  }
}
