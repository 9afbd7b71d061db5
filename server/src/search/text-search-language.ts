/** PostgreSQL text search configurations by language. */
const configurations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ar: 'arabic',
    da: 'danish',
    de: 'german',
    el: 'greek',
    en: 'english',
    es: 'spanish',
    fi: 'finnish',
    fr: 'french',
    ga: 'irish',
    hu: 'hungarian',
    id: 'indonesian',
    it: 'italian',
    lt: 'lithuanian',
    nb: 'norwegian',
    nl: 'dutch',
    nn: 'norwegian',
    no: 'norwegian',
    pt: 'portuguese',
    ro: 'romanian',
    ru: 'russian',
    sv: 'swedish',
    ta: 'tamil',
    tr: 'turkish',
  }),
)

/**
 * The text search configuration for a language such as `de` or `pt-BR`. Unknown languages get
 * `simple`, which does not stem words. `undefined` means English.
 */
export function textSearchLanguage(language: string | undefined): string {
  return language === undefined
    ? 'english'
    : (configurations.get(language.toLowerCase().split(/[-_]/)[0] ?? '') ?? 'simple')
}
