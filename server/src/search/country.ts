/** The country that a location names, as its small ISO 3166 code: a country, or a city, a region and a country. Undefined: none. */
export function countryOf(location: string): string | undefined {
  const name = (location.split(',').at(-1) ?? '').trim().toLowerCase()
  const usual = new Map([
    ['usa', 'us'],
    ['united states of america', 'us'],
    ['england', 'gb'],
  ])
  const code = /^[a-z]{2}$/.test(name) ? name : (usual.get(name) ?? codes().find((each) => nameOf(each) === name))
  // Codes of former countries have names, too: those of what came after them.
  return code === undefined ? undefined : new Intl.Locale(`und-${code}`).region?.toLowerCase()
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
function nameOf(code: string): string {
  return names.of(code.toUpperCase())?.toLowerCase() ?? ''
}

function codes(): readonly string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  return letters.flatMap((first) => letters.map((second) => `${first}${second}`))
}
