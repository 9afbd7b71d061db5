import { InvalidArgumentError } from 'commander'

/** Reads the value of an option that takes a whole number. Throws commander's error for what is none. */
export function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** Makes a reader of whole numbers in a range, such as `numberFrom(1000, 600_000, 'milliseconds')`. */
export function numberFrom(min: number, max: number, unit = ''): (text: string) => number {
  const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max && Number.isSafeInteger(value)) return value
    throw new InvalidArgumentError(`It must be a whole number ${range}${unit === '' ? '' : `, in ${unit}`}.`)
  }
}

/** Reads the two letters of a country. Throws commander's error for anything else. */
export function countryCode(text: string): string {
  if (/^[a-z]{2}$/i.test(text)) return text
  throw new InvalidArgumentError('It must be the two letters of a country (ISO 3166-1), such as DE.')
}
