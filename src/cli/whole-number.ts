import { InvalidArgumentError } from 'commander'
import { isCountryCode } from '../contract/country.ts'

/** Parses an option value as a whole number. Throws Commander's error for other values. */
export function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/**
 * Creates a parser of whole numbers in a range, such as `numberFrom(1000, 600_000,
 * 'milliseconds')`.
 */
export function numberFrom(min: number, max: number, unit = ''): (text: string) => number {
  const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max && Number.isSafeInteger(value)) return value
    throw new InvalidArgumentError(`It must be a whole number ${range}${unit === '' ? '' : `, in ${unit}`}.`)
  }
}

/** Parses a two-letter country code. Throws Commander's error for other values. */
export function countryCode(text: string): string {
  if (isCountryCode(text)) return text
  throw new InvalidArgumentError(
    text.toLowerCase() === 'uk'
      ? 'The country code of the United Kingdom is GB.'
      : 'It must be a two-letter country code (ISO 3166-1), such as DE.',
  )
}
