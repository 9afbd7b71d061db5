import { goTo, type Route } from '../frame/route.ts'
import { Page } from '../components/page.tsx'
import { Tabs } from '../components/tabs.tsx'
import { MapForm } from './map-form.tsx'
import { ScrapeForm } from './scrape-form.tsx'
import { SearchForm } from './search-form.tsx'

const tools = { Scrape: ScrapeForm, Map: MapForm, Search: SearchForm } as const

type ToolName = keyof typeof tools

/** Forms to try the API. */
export function PlaygroundPage({ route }: { readonly route: Route }) {
  const requested = route.rest[0] ?? ''
  const chosen = (Object.keys(tools) as ToolName[]).find((name) => name.toLowerCase() === requested) ?? 'Scrape'
  const Tool = tools[chosen]
  return (
    <Page
      title="Playground"
      lead="Try an API call, then copy it as code."
      actions={
        <Tabs
          label="Endpoint"
          names={Object.keys(tools)}
          chosen={chosen}
          onChoose={(name) => goTo(['playground', name.toLowerCase()])}
        />
      }
    >
      <Tool key={chosen} query={route.query} />
    </Page>
  )
}
