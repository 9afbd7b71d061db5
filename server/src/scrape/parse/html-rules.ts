/** Void elements. */
export const voidNames = words(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
)

/** Inline elements. */
export const inlineNames = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small ' +
    'span strike strong sub sup time tt u var',
)

/** Elements whose start tag closes an open `<svg>` or `<math>`. */
export const leavesForeign = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li menu meta nobr ol p ' +
    'pre ruby s small span strong strike sub sup table tt u ul var section article main footer header nav aside',
)

const closesParagraph = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul dd dt',
)
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const closes: ReadonlyMap<string, readonly string[]> = byName({
  a: ['a'],
  li: ['li'],
  dd: ['dd', 'dt'],
  dt: ['dd', 'dt'],
  tr: ['td', 'th', 'tr'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  thead: ['tr', 'tbody', 'thead', 'tfoot'],
  tbody: ['tr', 'tbody', 'thead', 'tfoot'],
  tfoot: ['tr', 'tbody', 'thead', 'tfoot'],
  option: ['option'],
  optgroup: ['option', 'optgroup'],
  rt: ['rt', 'rp'],
  rp: ['rt', 'rp'],
  button: ['button'],
})

/** Returns the names of open elements that the start tag of `name` closes. */
export function closesOnOpen(name: string): readonly string[] {
  return closedBy.get(name) ?? []
}

const closedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...closes].map(([name, closed]) => [name, closesParagraph.has(name) ? ['p', ...closed] : closed] as const),
  ...[...closesParagraph].filter((name) => !closes.has(name)).map((name) => [name, ['p']] as const),
  ...headings.map((name) => [name, ['p', ...headings]] as const),
])

/**
 * Returns a Map: a page may have an element named `constructor`, which is a property of every
 * object.
 */
function byName<Value>(values: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(values))
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

const tableOnly = words('table')
const cells = words('table td th caption')
const lists = words('ul ol menu dir table td th')
const boundariesByName: ReadonlyMap<string, ReadonlySet<string>> = byName({
  li: lists,
  dd: words('dl table td th'),
  dt: words('dl table td th'),
  tr: tableOnly,
  td: words('table tr'),
  th: words('table tr'),
  thead: tableOnly,
  tbody: tableOnly,
  tfoot: tableOnly,
  table: new Set<string>(),
  p: words('table td th caption button object template li blockquote div section article figure'),
  option: words('select'),
  optgroup: words('select'),
  ...Object.fromEntries(headings.map((name) => [name, words('table td th div section article li')])),
})

/** Returns the elements that an end tag of `name` does not close. */
export function scopeBoundaries(name: string): ReadonlySet<string> {
  return boundariesByName.get(name) ?? cells
}
