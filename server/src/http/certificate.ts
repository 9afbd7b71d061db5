import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
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
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const isMismatch = (error as { readonly code?: string }).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
    const message = isMismatch
      ? `The key in ${tlsKey} is not that of the first certificate in ${tlsCert}`
      : `${tlsKey} has no usable private key: ${messageOf(error)}`
    throw new BowlineError('CONFIG_INVALID', message, {
      cause: error,
      hint: 'Pass the private key that the certificate was issued for, without a passphrase. The certificate of the server comes first in its file, before those of its issuers.',
    })
  }
  return { cert, key, names: leaf.subjectAltName ?? leaf.subject, validTo: new Date(leaf.validTo) }
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
