import { buffer as toBuffer } from 'node:stream/consumers'
import { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'
import { quotePage } from '../../kit/quote-page.ts'
import { actOn } from '../browser/tabs.ts'
import { cutToTokens } from '../snapshot/estimate-tokens.ts'
import { changesResult, textResult } from './result.ts'
import { freePath, readLocalFile, saveFile } from './local-files.ts'
import { browserTool, elementInput, type Tool } from './tool.ts'

const upload = browserTool({
  name: 'browser_file_upload',
  title: 'Upload files',
  description:
    'Chooses files for a file field (`ref`), or for the file chooser that the last click has opened. Without files, ' +
    'the choice is cleared.',
  input: {
    element: elementInput.element,
    ref: elementInput.ref.optional(),
    files: z
      .array(
        z.object({
          name: z.string().min(1).max(255),
          text: z.string().optional().describe('Content of a text file'),
          base64: z.string().optional().describe('Content of another file'),
        }),
      )
      .max(20)
      .optional(),
    paths: z.array(z.string()).max(20).optional().describe('Paths in the local folder of the tools, if there is one'),
  },
  isReadOnly: false,
  run: async ({ ref, files = [], paths = [] }, scope) => {
    const { tab, options } = scope
    const given = files.map(({ name, text, base64 = '' }) => ({
      name,
      buffer: text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text),
    }))
    const read = await Promise.all(paths.map(async (path) => readLocalFile(path, options)))
    const all = [...given, ...read].map(({ name, buffer }) => ({ name, buffer, mimeType: 'application/octet-stream' }))
    const chooser = tab.log.fileChooser
    if (ref === undefined && chooser === undefined) {
      throw new BowlineError('BAD_REQUEST', 'The page has opened no file chooser', {
        hint: 'Pass the `ref` of the file field, or click the button that opens the chooser first.',
      })
    }
    tab.log.fileChooser = undefined
    await actOn(tab, async () =>
      ref === undefined ? chooser?.setFiles(all) : tab.snapshots.locate(ref).setInputFiles(all),
    )
    return changesResult(scope)
  },
})

const download = browserTool({
  name: 'browser_downloads',
  title: 'Read downloads',
  description: 'Lists the downloads of the session, or returns one of them by its name.',
  input: { name: z.string().optional().describe('Name of the download to return. Default: the list') },
  isReadOnly: true,
  run: async ({ name }, { open, options }) => {
    if (name === undefined) {
      const downloads = (await open.files.list()).filter(({ direction }) => direction === 'download')
      if (downloads.length === 0) return textResult('No downloads.')
      const lines = downloads.map(
        (file) => `${file.name}: ${file.size} bytes${file.complete ? '' : ` (${file.error ?? 'incomplete'})`}`,
      )
      return textResult(quotePage(lines.join('\n')))
    }
    if (options.filesDir !== undefined) {
      const path = await freePath(options.filesDir, name)
      await open.files.download(name, path)
      return textResult(`Saved to ${path}.`)
    }
    const content = await toBuffer(await open.files.read(name))
    const text = textOf(content)
    if (text !== undefined) return textResult(quotePage(cutToTokens(text, 4 * options.maxTokens)))
    return saveFile(content, name, options)
  },
})

/** Tools for files of pages. */
export const fileTools: readonly Tool[] = [upload, download]

/** Decodes a text file. Undefined for other files, and for large ones. */
function textOf(content: Buffer): string | undefined {
  if (content.byteLength > 1_000_000 || content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}
