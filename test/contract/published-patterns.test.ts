import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { location } from '../../src/contract/location.ts'
import { routes, type Route } from '../../src/contract/routes.ts'
import { domain, searchRequest, searchRequestV1 } from '../../src/contract/search.ts'

interface WithPattern {
  readonly pattern?: RegExp
}

/** Returns the regular expressions that the JSON Schema of a schema contains. */
function patternsOf(schema: z.ZodType, io: 'input' | 'output'): readonly RegExp[] {
  const found: WithPattern[] = []
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema: { _zod } }) =>
      void found.push(
        _zod.def as WithPattern,
        ...(_zod.def.checks ?? []).map((check) => check._zod.def as WithPattern),
      ),
  })
  return found.flatMap(({ pattern }) => pattern ?? [])
}

/** Returns the JSON Schema of requests, as in the OpenAPI document. */
function published(schema: z.ZodType): Published {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Published
}

interface Published {
  readonly pattern?: string
  readonly items?: Published
  readonly properties?: Readonly<Record<string, Published>>
}

describe('published patterns', () => {
  test('do not depend on flags that JSON Schema lacks', () => {
    const all = Object.values<Route>(routes)
    const requests = all.flatMap(({ params, query, body, headers }) => [params, query, body, headers])
    const patterns = [
      ...requests.flatMap((schema) => (schema === undefined ? [] : patternsOf(schema, 'input'))),
      ...all.flatMap(({ response }) => patternsOf(response, 'output')),
    ]

    expect(patterns.length).toBeGreaterThan(20)
    expect(patterns.filter(({ flags }) => flags !== '' && flags !== 'u')).toEqual([])
  })

  test.each(['de', 'en-US', 'pt_BR', 'zh-Hans-CN', 'EN'])('accept the language %s of a location', (tag) => {
    const { pattern = 'none' } = published(location).properties?.['languages']?.items ?? {}

    expect(location.safeParse({ languages: [tag] }).success).toBe(true)
    expect(tag).toMatch(new RegExp(pattern, 'u'))
  })

  test.each(['de', 'pt-BR', 'EN'])('accept the language %s of a search', (lang) => {
    for (const schema of [searchRequest, searchRequestV1]) {
      expect(schema.safeParse({ query: 'knots', lang }).success).toBe(true)
      expect(lang).toMatch(new RegExp(published(schema).properties?.['lang']?.pattern ?? 'none', 'u'))
    }
  })

  test.each(['example.com', 'Example.COM', ' localhost '])('accept the domain %j', (text) => {
    expect(domain.safeParse(text).success).toBe(true)
    expect(text).toMatch(new RegExp(published(domain).pattern ?? 'none', 'u'))
  })

  test.each(['-a.example', 'a..example', 'a b', 'http://a.example', ''])('reject the domain %j', (text) => {
    expect(domain.safeParse(text).success).toBe(false)
    expect(text).not.toMatch(new RegExp(published(domain).pattern ?? 'none', 'u'))
  })
})
