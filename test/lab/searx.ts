import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from './stores.ts'

const program = '/usr/bin/searx-run'

/** Whether searx is installed. */
export function hasSearx(): boolean {
  return existsSync(program)
}

/** Starts a real searx whose three engines query only `upstream`. Takes some seconds. */
export async function startSearx(upstream: string): Promise<AsyncDisposable & { readonly url: string }> {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder())
  const port = await freePort()
  const settings = join(folder.path, 'settings.yml')
  await writeFile(settings, settingsOf(port, upstream))
  const child = spawn(program, [], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/bin:/bin', HOME: folder.path, SEARX_SETTINGS_PATH: settings },
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const exited = once(child, 'exit')
  undo.defer(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  const ready = waitUntilReady(url)
  await Promise.race([ready, exited.then(() => Promise.reject(new Error(`searx ended: ${errors}`)))])
  const owned = undo.move()
  return { url, [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}

async function waitUntilReady(url: string): Promise<void> {
  for (;;) {
    const isUp = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await sleep(100)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

// Complete settings, because `use_default_settings` does not find Debian's defaults.
function settingsOf(port: number, upstream: string): string {
  return `
general: {instance_name: lab}
brand: {git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}
ui:
  static_path: /usr/share/python3-searx/static
  templates_path: /usr/share/python3-searx/templates
  default_theme: oscar
  default_locale: ""
  theme_args: {oscar_style: logicodev}
checker: {off_when_debug: true}
locales: {en: English}
doi_resolvers: {none: "https://doi.example/"}
default_doi_resolver: none
search:
  formats: [html, json]
  safe_search: 0
  autocomplete: ""
  default_lang: ""
  ban_time_on_fail: 1
  max_ban_time_on_fail: 2
  prefer_configured_language: false
server:
  port: ${port}
  bind_address: "127.0.0.1"
  secret_key: lab
  method: GET
  base_url: false
  image_proxy: false
  http_protocol_version: "1.1"
  default_http_headers: {}
outgoing: {request_timeout: 10.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10}
engines:
${engine('lab web', 'lw', 'general', `${upstream}/web?q={query}&page={pageno}`, 10)}
${engine('lab news', 'ln', 'news', `${upstream}/news?q={query}&page={pageno}`, 10)}
${engine('lab slow', 'ls', 'images', `${upstream}/slow?q={query}&page={pageno}`, 0.5)}
`
}

function engine(name: string, shortcut: string, category: string, url: string, timeout: number): string {
  return `
  - name: ${name}
    engine: json_engine
    shortcut: ${shortcut}
    categories: ${category}
    paging: true
    enable_http: true
    search_url: ${url}
    first_page_num: 1
    results_query: results
    url_query: url
    title_query: title
    content_query: snippet
    timeout: ${timeout}
    disabled: false`
}
