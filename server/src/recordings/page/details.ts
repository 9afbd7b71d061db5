import type { ConsoleLine } from '../../cdp/console-line.ts'
import type { HarEntry, NameValue } from '../har-types.ts'
import { find, make, toClock, toSize } from './find.ts'

const maxBodyLength = 200_000

/** The panel with the details of a request or a message. */
export class Details {
  readonly #panel = find<HTMLElement>('.details')
  readonly #facts = find<HTMLElement>('#facts')
  #opener: Element | null = null

  constructor() {
    find<HTMLElement>('#close').addEventListener('click', () => this.close())
    addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && !this.#panel.hidden) this.close()
    })
  }

  /** Shows a request that started `atMs` after the start of the recording. */
  showRequest(entry: HarEntry, atMs: number): void {
    const { request, response } = entry
    this.#show(`${request.method} ${URL.parse(request.url)?.pathname ?? request.url}`, [
      ...section('General', listOf(generalOf(entry, atMs))),
      ...section('Time', listOf(phasesOf(entry))),
      ...section('Request headers', listOf(request.headers.map(toPair))),
      ...section('Query', listOf(request.queryString.map(toPair))),
      ...section('Request body', blockOf(request.postData?.text, request.postData?.mimeType)),
      ...section('Response headers', listOf(response.headers.map(toPair))),
      ...section('Response body', bodyOf(entry)),
      ...section('Messages', messagesOf(entry)),
    ])
  }

  /** Shows a message of the console. */
  showLine({ level, source, text, url, line, column, time }: ConsoleLine, atMs: number): void {
    const location = url === undefined ? '' : [url, line, column].filter((part) => part !== undefined).join(':')
    const facts = [
      ['Level', level],
      ['Source', source],
      ['Time', `${toClock(atMs)} (${time})`],
      ['Location', location],
    ] as const
    this.#show('Message', [...section('General', listOf(facts)), ...section('Text', blockOf(text))])
  }

  /** Hides the panel and returns the focus to the row that opened it. */
  close(): void {
    const hadFocus = this.#panel.contains(document.activeElement)
    this.#panel.hidden = true
    delete document.body.dataset['details']
    if (hadFocus && this.#opener instanceof HTMLElement) this.#opener.focus()
  }

  #show(title: string, parts: readonly Element[]): void {
    if (!this.#panel.contains(document.activeElement)) this.#opener = document.activeElement
    find<HTMLElement>('#details-title').textContent = title
    this.#facts.replaceChildren(...parts)
    this.#facts.scrollTop = 0
    this.#panel.hidden = false
    document.body.dataset['details'] = ''
  }
}

type Pair = readonly [name: string, value: string]

function toPair({ name, value }: NameValue): Pair {
  return [name, value]
}

function generalOf({ request, response, time, ...entry }: HarEntry, atMs: number): readonly Pair[] {
  const { content, _transferSize: bytes } = response
  const transferred = bytes < 0 ? '' : `${toSize(bytes)} transferred`
  return [
    ['URL', request.url],
    ['Method', request.method],
    ['Status', `${response.status || '—'} ${response.statusText}`.trim()],
    ['Error', response._error ?? ''],
    ['Type', entry._resourceType],
    ['Content', [content.mimeType, toSize(content.size), transferred].filter((part) => part !== '').join(', ')],
    ['Redirect', response.redirectURL],
    ['Protocol', request.httpVersion],
    ['Server', entry.serverIPAddress ?? ''],
    ['Started', `${toClock(atMs)} (${entry.startedDateTime})`],
    ['Duration', toMs(time)],
  ]
}

function phasesOf({ timings }: HarEntry): readonly Pair[] {
  const names = {
    blocked: 'Blocked',
    dns: 'DNS',
    connect: 'Connect',
    ssl: 'TLS',
    send: 'Send',
    wait: 'Wait',
    receive: 'Receive',
  }
  return Object.entries(names).map(([phase, name]) => {
    const ms = timings[phase as keyof typeof names]
    return [name, ms < 0 ? '' : toMs(ms)]
  })
}

function toMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

function bodyOf({ response: { content } }: HarEntry): Element | undefined {
  if (content.comment !== undefined) return make('p', 'faint', content.comment)
  if (content.encoding === 'base64') return make('p', 'faint', `Binary, ${toSize(content.size)}`)
  return blockOf(content.text, content.mimeType)
}

function messagesOf({ _webSocketMessages: messages = [] }: HarEntry): Element | undefined {
  return listOf(messages.map(({ type, data }) => [type === 'send' ? '↑ sent' : '↓ received', data]))
}

/** A list of names and values. Leaves out empty values; `undefined` if none is left. */
function listOf(pairs: readonly Pair[]): Element | undefined {
  const filled = pairs.filter(([, value]) => value !== '')
  if (filled.length === 0) return undefined
  const list = make('dl', '')
  list.append(...filled.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]))
  return list
}

/** A text with its line breaks. JSON is indented. */
function blockOf(text = '', mimeType = ''): Element | undefined {
  if (text === '') return undefined
  const whole = text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}\n… ${text.length} characters`
  return make('pre', '', mimeType.includes('json') ? indent(whole) : whole)
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    // Not JSON, or cut.
    return text
  }
}

function section(title: string, content: Element | undefined): readonly Element[] {
  return content === undefined ? [] : [make('h3', '', title), content]
}
