import { isCountryCode } from 'bowline/contract/country'

/**
 * The lower-case ISO 3166 code of the country in a location such as `Germany` or `Munich, Bavaria,
 * Germany`. `undefined` if it names none.
 */
export function countryOf(location: string): string | undefined {
  const name = (location.split(',').at(-1) ?? '').trim().toLowerCase()
  const aliases = new Map([
    ['usa', 'us'],
    ['united states of america', 'us'],
    ['england', 'gb'],
  ])
  const code = /^[a-z]{2}$/.test(name) ? name : (aliases.get(name) ?? codes().find((each) => nameOf(each) === name))
  if (code === undefined) return undefined
  // Maps codes of former countries to their successors.
  const current = new Intl.Locale(`und-${code}`).region ?? ''
  return isCountryCode(current) ? current.toLowerCase() : undefined
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
function nameOf(code: string): string {
  return names.of(code.toUpperCase())?.toLowerCase() ?? ''
}

function codes(): readonly string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  return letters.flatMap((first) => letters.map((second) => `${first}${second}`))
}
