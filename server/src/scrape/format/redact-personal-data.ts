import type { PiiEntity, RedactOptions } from 'bowline/contract/redaction'

/** How an entity is recognized. */
interface Rule {
  readonly entity: PiiEntity
  readonly pattern: RegExp
  /** Rejects matches that only look like the entity. */
  readonly isValid?: (match: string) => boolean
}

/**
 * Replaces email addresses, phone numbers, payment details and secrets in a text, by rules. Names
 * of people and places have no form by which rules could recognize them.
 */
export function redactPersonalData(text: string, { entities, replaceStyle, mode }: RedactOptions): string {
  const selected = [...rules, ...(mode === 'aggressive' ? aggressiveRules : [])].filter(({ entity }) =>
    entities.includes(entity),
  )
  return selected.reduce(
    (redacted, { entity, pattern, isValid }) =>
      redacted.replace(pattern, (match) => {
        if (isValid !== undefined && !isValid(match)) return match
        if (replaceStyle === 'remove') return ''
        return replaceStyle === 'mask' ? '*'.repeat(match.length) : `[${entity}]`
      }),
    text,
  )
}

/**
 * In the order in which they are applied: a key may contain what looks like a phone number. Each
 * takes time in proportion to the text, whatever it contains.
 */
const rules: readonly Rule[] = [
  {
    entity: 'SECRET',
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----BEGIN)[\s\S]){0,10000}?-----END [A-Z ]*PRIVATE KEY-----/g,
  },
  // JSON Web Tokens.
  { entity: 'SECRET', pattern: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g },
  // Keys with the prefix of their service: AWS, GitHub, GitLab, Slack, Google, Stripe, OpenAI, npm.
  {
    entity: 'SECRET',
    pattern:
      /(?<![\w-])(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{35}|[sr]k_(?:live|test)_\w{16,}|sk-[\w-]{20,}|npm_\w{36,})/g,
  },
  // The value of a setting that is named as a secret, unless it is a word.
  {
    entity: 'SECRET',
    pattern:
      /(?<=\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"'`,;]{6,200}/gi,
    isValid: (value) => /[^a-z]/i.test(value),
  },
  { entity: 'EMAIL', pattern: /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}\p{L}{2,24}(?![\w-])/gu },
  { entity: 'FINANCIAL', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, isValid: isIban },
  { entity: 'FINANCIAL', pattern: /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])/g, isValid: isCardNumber },
  // International numbers, and numbers with an area code in parentheses.
  { entity: 'PHONE', pattern: /(?<![\w+]|\d )(?:\+|00)[1-9](?:[ ./()-]{0,2}\d){6,14}(?!\d)/g },
  { entity: 'PHONE', pattern: /(?<!\w)\(0?\d{2,5}\)[ ./-]?\d(?:[ ./-]?\d){4,9}(?!\d)/g },
  // Numbers in the grouping of North America.
  { entity: 'PHONE', pattern: /(?<![\d.-])[2-9]\d{2}[ .-][2-9]\d{2}[ .-]\d{4}(?![\d-]|\.\d)/g },
]

/** Rules that also match other numbers. */
const aggressiveRules: readonly Rule[] = [
  // National numbers that begin with a zero.
  { entity: 'PHONE', pattern: /(?<![\w.,:/-])0[1-9](?:[ ./-]?\d){6,11}(?![\d:-]|[.,]\d)/g },
]

/** Checks the check digit of a card number (Luhn, ISO/IEC 7812). */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0 && /^[2-6]/.test(digits)
}

/** Checks the check digits of an account number (ISO 13616). */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  // A letter counts as a number from 10.
  const digits = (compact.slice(4) + compact.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => `${parseInt(letter, 36)}`)
  return BigInt(digits) % 97n === 1n
}
