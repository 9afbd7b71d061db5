import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'

/** Where packages install the data of Tesseract. */
const folders = [
  '/usr/share/tesseract-ocr/tessdata',
  '/usr/share/tessdata',
  '/usr/local/share/tessdata',
  '/opt/homebrew/share/tessdata',
] as const

const debianFolder = '/usr/share/tesseract-ocr'

/** Language of OCR if a request names none. */
export const defaultLanguage = 'eng'

/** Finds the data of Tesseract for languages such as `eng+deu`. Undefined: not installed. */
export function findTessdata(
  language: string = defaultLanguage,
  searched: readonly string[] = [...versionFolders(), ...folders],
): string | undefined {
  const files = language.split('+').map((code) => `${code}.traineddata`)
  return searched.find((folder) => files.every((file) => existsSync(join(folder, file))))
}

/** Finds the data of Tesseract. Throws OCR_UNAVAILABLE. */
export function requireTessdata(language: string = defaultLanguage): string {
  const found = findTessdata(language)
  if (found !== undefined) return found
  const packages = language.split('+').map((code) => `tesseract-ocr-${code.replaceAll('_', '-')}`)
  throw new BowlineError('OCR_UNAVAILABLE', `The server has no OCR for the language \`${language}\``, {
    hint: `Install Tesseract on the server: \`apt-get install tesseract-ocr ${packages.join(' ')}\` on Debian. Or do without OCR.`,
  })
}

/** Debian has a folder for each version, such as `5`. */
function versionFolders(): readonly string[] {
  if (!existsSync(debianFolder)) return []
  return readdirSync(debianFolder)
    .toSorted()
    .toReversed()
    .map((version) => join(debianFolder, version, 'tessdata'))
}
