import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dayMs } from 'bowline/kit/day-ms'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'

/** Certificates that expire earlier are reported as a problem: 14 days. */
export const expiryWarningMs = 14 * dayMs

/** Paths of the files of a certificate. */
export interface CertificatePaths {
  readonly tlsCert: string
  readonly tlsKey: string
}

/** A certificate chain and its private key, both as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Host names and IP addresses that it is valid for, such as `DNS:browsers.example`. */
  readonly names: string
  readonly validTo: Date
}

/**
 * Reads a certificate and its key. Throws CONFIG_INVALID if a file cannot be read, is not PEM, or
 * if the key belongs to another certificate.
 */
export async function readCertificate({ tlsCert, tlsKey }: CertificatePaths): Promise<Certificate> {
  const [cert, key] = await Promise.all([readPem('--tls-cert', tlsCert), readPem('--tls-key', tlsKey)])
  const leaf = parseLeaf(tlsCert, cert)
  if (!leaf.checkPrivateKey(parseKey(tlsKey, key))) {
    const message = `The key in ${tlsKey} is not that of the first certificate in ${tlsCert}`
    throw new BowlineError('CONFIG_INVALID', message, { hint: keyHint })
  }
  return { cert, key, names: leaf.subjectAltName ?? leaf.subject, validTo: new Date(leaf.validTo) }
}

const keyHint =
  'Pass the private key that the certificate was issued for, without a passphrase. The certificate of the server comes first in its file, before those of its issuers.'

/** Parses a key. Node would accept an empty file as no key, and then refuse all connections. */
function parseKey(path: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new BowlineError('CONFIG_INVALID', `${path} has no usable private key: ${messageOf(error)}`, {
      cause: error,
      hint: keyHint,
    })
  }
}

function parseLeaf(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new BowlineError('CONFIG_INVALID', `${path} has no certificate in PEM format: ${messageOf(error)}`, {
      cause: error,
      hint: 'Pass the certificate chain, whose first line is -----BEGIN CERTIFICATE-----.',
    })
  }
}

async function readPem(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new BowlineError('CONFIG_INVALID', `\`${flag}\` cannot be read: ${messageOf(error)}`, { cause: error })
  })
}
