import { expect, test } from 'vitest'
import { extractRequest } from '../../../src/contract/extract.ts'
import { createPlan } from '../../src/extract/plan.ts'

test('routes of an application are separate pages, and positions in a page are not', () => {
  const urls = ['#/boats', '#/ropes', '#top', '#end', ''].map((fragment) => `https://a.example/${fragment}`)

  const { plan } = createPlan(extractRequest.parse({ urls, prompt: 'x' }), '')

  expect(plan.pages).toEqual(['https://a.example/#/boats', 'https://a.example/#/ropes', 'https://a.example/'])
})
