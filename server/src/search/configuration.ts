/** How PostgreSQL calls the rules by which words of a language are brought to their stem. */
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

/** The rules for a language such as `de` or `pt-BR`. Unknown ones: words stay as they are. Absent: English. */
export function configurationOf(language: string | undefined): string {
  return language === undefined
    ? 'english'
    : (configurations.get(language.toLowerCase().split(/[-_]/)[0] ?? '') ?? 'simple')
}
