import { expect, test } from 'vitest'
import { sha256 } from '../../../src/kit/sha256.ts'
import { hashRequest } from '../../src/jobs/hash-request.ts'

test('the hash of a request is without its speed and the name of the client', () => {
  const request = { urls: ['https://example.com'], timeout: 1000 }
  const { requestHash } = hashRequest(request)

  expect(hashRequest({ ...request, maxConcurrency: 5, delay: 2, origin: 'js', integration: 'x' })).toMatchObject({
    requestHash,
  })
  expect(hashRequest({ ...request, timeout: 2000 }).requestHash).not.toBe(requestHash)
})

test('the former hash is the one that version 0.1.0 stored', () => {
  const request = { urls: ['https://example.com'], maxConcurrency: 5 }

  expect(hashRequest({ ...request, origin: 'js' }).formerRequestHash).toBe(
    sha256(JSON.stringify(request)).toString('hex'),
  )
})
