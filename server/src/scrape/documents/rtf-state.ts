import type { Script } from './script-characters.ts'

/** Where the text of a group goes. */
export type Destination = 'body' | 'hidden' | 'instruction' | 'marker' | 'style' | 'title' | 'author' | 'subject'

/** A field, such as a link. Its instruction comes before its text. */
export interface Field {
  instruction: string
}

/** Formatting that a group inherits and can change. */
export interface RtfState {
  readonly destination: Destination
  readonly isBold: boolean
  readonly isItalic: boolean
  readonly isStruck: boolean
  /** Whether the text is deleted, in a tracked change, or hidden. */
  readonly isInvisible: boolean
  readonly script: Script | undefined
  readonly field: Field | undefined
  readonly isNote: boolean
  /** Characters after a Unicode character that repeat it for older programs. */
  readonly skipped: number
}

/** Formatting of text without any. */
export const plainText = {
  isBold: false,
  isItalic: false,
  isStruck: false,
  isInvisible: false,
  script: undefined,
} as const

/** The state at the start of a file. */
export const initialState: RtfState = {
  ...plainText,
  destination: 'body',
  field: undefined,
  isNote: false,
  skipped: 1,
}

/** Groups that are not part of the text, by their first word. */
export const destinations: ReadonlyMap<string, Destination> = new Map([
  ...'fonttbl colortbl info pict object header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable themedata datastore xmlnstbl generator bkmkstart bkmkend nonshppict nonesttables'
    .split(' ')
    .map((word) => [word, 'hidden'] as const),
  ['stylesheet', 'style'],
  ['fldinst', 'instruction'],
  ['listtext', 'marker'],
  ['pntext', 'marker'],
  ['title', 'title'],
  ['author', 'author'],
  ['subject', 'subject'],
])

/** Returns the change of the state that a word makes. Undefined: none. */
export function changeOf(word: string, number: number | undefined): Partial<RtfState> | undefined {
  const isOn = number !== 0
  switch (word) {
    case 'b':
      return { isBold: isOn }
    case 'i':
      return { isItalic: isOn }
    case 'strike':
    case 'striked':
      return { isStruck: isOn }
    case 'deleted':
    case 'v':
      return { isInvisible: isOn }
    case 'super':
    case 'up':
      return { script: isOn ? 'super' : undefined }
    case 'sub':
    case 'dn':
      return { script: isOn ? 'sub' : undefined }
    case 'nosupersub':
      return { script: undefined }
    case 'plain':
      return plainText
    case 'uc':
      return { skipped: Math.min(10, Math.max(0, number ?? 1)) }
    default:
      return undefined
  }
}

/** Words that stand for a character. */
export const characters: Readonly<Record<string, string>> = {
  tab: ' ',
  line: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201C',
  rdblquote: '\u201D',
  bullet: '\u2022',
}

/** Returns the decoder of a code page. Unknown ones are read as Western European. */
export function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePages[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}

const codePages: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10_000: 'macintosh',
  65_001: 'utf-8',
}
