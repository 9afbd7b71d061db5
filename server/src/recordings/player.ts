import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { sha256 } from 'bowline/kit/sha256'
import { escapeHtml } from '../kit/escape-html.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { RecordingRow } from './recording-details.ts'

/** The player: one self-contained HTML page that also works when opened from disk. */
export interface Player {
  /** Response headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly pageOf: (
    artifacts: Artifacts,
    recordings: readonly RecordingRow[],
    session: PlayedSession,
  ) => AsyncGenerator<Buffer>
}

/** The session whose recordings a page plays. */
export interface PlayedSession {
  readonly id: string
  readonly name: string | undefined
}

/** Reads the template, style and script of the page once. */
export function createPlayer(): Player {
  const script = joinModules('player')
  const style = readFileSync(new URL('page/player.css', import.meta.url), 'utf8')
  const template = readFileSync(new URL('page/player.html', import.meta.url), 'utf8')
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; media-src blob:; base-uri 'none'; form-action 'none'`
  const [head = '', tail = ''] = template
    .replace('{{policy}}', () => policy)
    .replace('{{style}}', () => `<style>${style}</style>`)
    .replace('{{script}}', () => `<script type="module">${script}</script>`)
    .split('{{recordings}}')
  return {
    headers: {
      'content-security-policy': `${policy}; sandbox allow-scripts`,
      'content-type': 'text/html; charset=utf-8',
    },
    pageOf: async function* (artifacts, recordings, session) {
      yield Buffer.from(fillHead(head, session))
      for (const row of recordings) {
        const { startedAtMs, contentType } = row.details
        // The video has this frame.
        if (contentType.startsWith('image/')) continue
        const isVideo = contentType.startsWith('video/')
        yield Buffer.from(
          `<script type="application/octet-stream" data-name="${row.name}" data-start="${startedAtMs}">`,
        )
        const contents = await artifacts.read(row)
        yield* isVideo ? toBase64(contents) : escapeMarkup(contents)
        yield Buffer.from('</script>\n')
      }
      yield Buffer.from(tail)
    },
  }
}

function fillHead(head: string, { id, name }: PlayedSession): string {
  const texts: Readonly<Record<string, string>> = {
    title: `${name ?? id} · recording`,
    heading: name ?? 'Recording',
    about: `Session ${id}`,
  }
  return head.replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) => escapeHtml(texts[key] ?? all))
}

const extension = extname(import.meta.url)
const importPattern = /^import \{[^}]*\} from '\.\/([\w-]+)\.[jt]s';?$/gm
const exportPattern = /^export (?=\w)/gm

/**
 * Joins a module of the page with the modules it imports, into one script. A page that is opened
 * from disk cannot load modules. Their top-level names must differ from each other.
 */
function joinModules(name: string, joined = new Set<string>()): string {
  if (joined.has(name)) return ''
  joined.add(name)
  const file = readFileSync(new URL(`page/${name}${extension}`, import.meta.url), 'utf8')
  const source = extension === '.ts' ? stripTypeScriptTypes(file) : file
  const imported = Array.from(source.matchAll(importPattern), ([, other = '']) => joinModules(other, joined))
  return [...imported, source.replaceAll(importPattern, '').replaceAll(exportPattern, '')].join('\n')
}

function hashOf(text: string): string {
  return `sha256-${sha256(text).toString('base64')}`
}

const lessThan = 0x3c

/** Escapes `<` so that JSON cannot end the script element. In JSON it occurs only in strings. */
async function* escapeMarkup(contents: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of contents as AsyncIterable<Buffer>) {
    yield chunk.includes(lessThan) ? Buffer.from(chunk.toString('latin1').replaceAll('<', '\\u003c'), 'latin1') : chunk
  }
}

async function* toBase64(contents: Readable): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of contents as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    rest = bytes.subarray(whole)
    yield Buffer.from(bytes.toString('base64', 0, whole))
  }
  yield Buffer.from(rest.toString('base64'))
}
