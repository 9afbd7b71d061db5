import { InvalidArgumentError, Option, type Command } from 'commander'
import type { FormatInput } from '../contract/formats.ts'

/** Elements of a page, and the name of their attribute. */
export interface AttributeSelector {
  readonly selector: string
  readonly attribute: string
}

/** Adds the flag for the format `attributes`. */
export function withAttributeFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--attribute <selector@name...>',
      'add the values of an attribute of the elements that match a selector, such as "img.photo@src"',
    ).argParser(addAttribute),
  )
}

/** Splits at the last `@`, since a selector can contain one. */
function addAttribute(text: string, previous: readonly AttributeSelector[] = []): readonly AttributeSelector[] {
  const [, selector = '', attribute = ''] = /^(.*)@([^@\s]+)$/s.exec(text) ?? []
  if (selector.trim() === '') {
    throw new InvalidArgumentError(
      'It must be a CSS selector, @ and the name of an attribute, such as "img.photo@src".',
    )
  }
  return [...previous, { selector: selector.trim(), attribute }]
}

/** Returns the format `attributes` for the selectors of the flag, or nothing without them. */
export function attributeFormats(selectors: readonly AttributeSelector[] = []): readonly FormatInput[] {
  return selectors.length === 0 ? [] : [{ type: 'attributes', selectors: [...selectors] }]
}
