import { InvalidArgumentError } from 'commander'

/** Reads the value of an option that takes a whole number. Throws commander's error for what is none. */
export const wholeNumber = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
