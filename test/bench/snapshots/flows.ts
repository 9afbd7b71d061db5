import type { SnapshotAgent } from './snapshot-agent.ts'

/** Tasks on the long pages. Each throws an Error if it cannot be solved. */
export const flows: Readonly<Record<string, (agent: SnapshotAgent, urlOf: (path: string) => string) => Promise<void>>> =
  {
    'reply to a comment': async (agent, urlOf) => {
      await agent.open(urlOf('/news'))
      await agent.click('"reply"')
      await agent.type('textbox "Reply"', 'Well tied')
      await agent.click('button "Post"')
      await agent.find('Reply posted')
    },
    'read a value of a specification': async (agent, urlOf) => {
      await agent.open(urlOf('/spec'))
      await agent.find('Timeouts')
      await agent.find('The default timeout is 4711 ms')
    },
    'put a product into the cart': async (agent, urlOf) => {
      await agent.open(urlOf('/shop'))
      await agent.click('Add trail boot 173')
      await agent.find('Trail boot 173 is in the cart')
    },
    'change a setting': async (agent, urlOf) => {
      await agent.open(urlOf('/dashboard'))
      await agent.click('link "Settings"')
      await agent.select('combobox "Plan"', 'Team')
      await agent.click('button "Save"')
      await agent.find('Team saved')
    },
    'archive a message': async (agent, urlOf) => {
      await agent.open(urlOf('/mail'))
      await agent.click('Invoice 4711')
      await agent.click('button "Archive"')
      await agent.find('Archived')
    },
  }
