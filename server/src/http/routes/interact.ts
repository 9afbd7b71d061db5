import type { Handler, Handlers } from '../register.ts'
import { ScrapeInteraction, type ScrapeInteractionDeps } from '../scrape-interaction.ts'

/**
 * Routes that continue scrapes in sessions. `deleteSession` ends a session and returns its bill.
 */
export function interactHandlers(deps: ScrapeInteractionDeps, deleteSession: Handler<'deleteSession'>): Handlers {
  const interaction = new ScrapeInteraction(deps)
  return {
    interact: async ({ params, body }, call) => interaction.run(params.id, body, call),
    stopInteraction: async ({ params }, call) => {
      const { id } = await interaction.find(params.id, call)
      return deleteSession({ params: { id }, query: {}, body: undefined }, call)
    },
  }
}
