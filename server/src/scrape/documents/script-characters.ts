/** Position of text relative to its line. */
export type Script = 'super' | 'sub'

const plain = '0123456789+-=()n\u2212'
const forms: Readonly<Record<Script, string>> = {
  super: '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ⁻',
  sub: '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ₋',
}

/**
 * Writes raised or lowered numbers with Unicode characters, since Markdown has no syntax for them:
 * 10⁶ must not become 106. Other text is returned unchanged.
 */
export function writeScript(text: string, script: Script | undefined): string {
  if (script === undefined || !/^[0-9+\-=()n\u2212]+$/.test(text)) return text
  return text.replaceAll(/[^]/g, (each) => forms[script][plain.indexOf(each)] ?? each)
}
