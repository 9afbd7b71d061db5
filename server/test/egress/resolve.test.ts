import { expect, test } from 'vitest'
import { openEgress } from '../../src/egress/egress.ts'
import { asLookupOwner, currentLookupOwner } from '../../src/kit/lookup-owner.ts'
import { createResolver } from '../../src/egress/resolve.ts'

const limits = { total: 4, perOwner: 2 }

/** Names below `slow.test` never resolve. */
function openResolver(closed?: AbortSignal) {
  const started: string[] = []
  const lookUp = async (name: string): Promise<readonly string[]> => {
    started.push(name)
    return name.endsWith('slow.test') ? new Promise<never>(() => undefined) : ['192.0.2.1']
  }
  return { started, resolve: createResolver(lookUp, { limits, closed }) }
}

test('names of one team that never resolve do not delay those of others', async () => {
  const { started, resolve } = openResolver()
  for (let index = 0; index < 60; index += 1) void asLookupOwner('evil', async () => resolve(`h${index}.slow.test`))
  // Waits for its turn among those of the first team.
  void asLookupOwner('evil', async () => resolve('shared.test'))

  const addresses = await asLookupOwner('good', async () =>
    Promise.all(['a.test', 'shared.test'].map((name) => resolve(name))),
  )

  expect(addresses).toEqual([['192.0.2.1'], ['192.0.2.1']])
  expect(started).toEqual(['h0.slow.test', 'h1.slow.test', 'a.test', 'shared.test'])
})

test('lookups of the same name that run at once are combined', async () => {
  const { started, resolve } = openResolver()

  await Promise.all(['a', 'b'].map(async (team) => asLookupOwner(team, async () => resolve('a.test'))))

  expect(started).toEqual(['a.test'])
})

test('a lookup that waits starts neither after its signal nor after the end of the server', async () => {
  const closing = new AbortController()
  const { started, resolve } = openResolver(closing.signal)
  const lookUp = async (name: string, signal?: AbortSignal): Promise<unknown> =>
    asLookupOwner('evil', async () => resolve(name, signal).catch((error: unknown) => error))
  const running = [lookUp('h1.slow.test'), lookUp('h2.slow.test')]
  const waiting = lookUp('a.test')
  const aborted = lookUp('b.test', AbortSignal.abort('aborted'))

  closing.abort('closed')

  expect(await Promise.all([...running, waiting, aborted])).toEqual(['closed', 'closed', 'closed', 'aborted'])
  expect(started).toEqual(['h1.slow.test', 'h2.slow.test'])
})

test('the proxies of a session and of its browser contexts are looked up for its team', async () => {
  const lookups: unknown[] = []
  const resolve = async (name: string): Promise<never> => {
    lookups.push([name, currentLookupOwner()])
    throw new Error('There is no such name')
  }
  await using egress = await openEgress({ resolve, log: { debug: () => undefined, warn: () => undefined } })
  await using endpoint = await egress.openProxyEndpoint()
  endpoint.setLookupOwner('a')

  const failures = await Promise.allSettled([
    endpoint.applyNetwork({ proxy: { server: 'http://session.test:1' } }),
    endpoint.openContext({ server: 'http://context.test:1' }),
  ])

  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(lookups).toEqual([
    ['session.test', 'a'],
    ['context.test', 'a'],
  ])
})
