import { InvalidArgumentError, type Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'

type Emulation = Pick<
  CreateSessionOptions,
  'viewport' | 'locale' | 'timezone' | 'geolocation' | 'userAgent' | 'extraHeaders'
>

/** Flags that decide how a session presents itself to sites. */
export interface EmulationFlags {
  readonly viewport?: Emulation['viewport']
  readonly locale?: string
  readonly timezone?: string
  readonly geolocation?: Emulation['geolocation']
  readonly userAgent?: string
  readonly extraHeader?: Emulation['extraHeaders']
}

/** Adds the flags `--viewport`, `--locale`, `--timezone` and so on. */
export function withEmulationFlags(command: Command): Command {
  return command
    .option('--viewport <size>', 'size of pages, such as 1280x800, or 390x844@2 for two pixels each', readViewport)
    .option('--timezone <name>', 'time zone of pages, such as Europe/Berlin')
    .option('--locale <tag>', 'language of pages and requests, such as de-DE')
    .option('--user-agent <text>', 'user agent of pages and requests')
    .option(
      '--extra-header <header>',
      "header of the requests to an origin, as in 'https://api.example.com x-key: value'; can be repeated",
      addHeader,
    )
    .option('--geolocation <position>', 'latitude,longitude of pages, such as 52.52,13.4', readPosition)
}

/** The session options of the flags. */
export function emulationOf({
  viewport,
  locale,
  timezone,
  geolocation,
  userAgent,
  extraHeader,
}: EmulationFlags): Emulation {
  return {
    ...(viewport === undefined ? {} : { viewport }),
    ...(locale === undefined ? {} : { locale }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(geolocation === undefined ? {} : { geolocation }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(extraHeader === undefined ? {} : { extraHeaders: extraHeader }),
  }
}

function readViewport(text: string): Emulation['viewport'] {
  const [, width, height, scale] = /^(\d+)x(\d+)(?:@(\d+(?:\.\d+)?))?$/i.exec(text) ?? []
  if (width === undefined) throw new InvalidArgumentError('It must have the form WIDTHxHEIGHT or WIDTHxHEIGHT@SCALE.')
  return {
    width: Number(width),
    height: Number(height),
    ...(scale === undefined ? {} : { deviceScaleFactor: Number(scale) }),
  }
}

function readPosition(text: string): Emulation['geolocation'] {
  const number = String.raw`\s*(-?\d+(?:\.\d+)?)\s*`
  const [, latitude, longitude, accuracy] = new RegExp(`^${number},${number}(?:,${number})?$`).exec(text) ?? []
  if (latitude === undefined)
    throw new InvalidArgumentError('It must have the form LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,METRES.')
  return {
    latitude: Number(latitude),
    longitude: Number(longitude),
    ...(accuracy === undefined ? {} : { accuracy: Number(accuracy) }),
  }
}

function addHeader(text: string, headers: Emulation['extraHeaders'] = {}): Emulation['extraHeaders'] {
  const [, origin, name, value] = /^(\S+)\s+([^\s:]+)\s*:\s*(.*)$/.exec(text.trim()) ?? []
  if (origin === undefined || name === undefined || value === undefined)
    throw new InvalidArgumentError('It must have the form ORIGIN NAME: VALUE.')
  return { ...headers, [origin]: { ...headers[origin], [name]: value } }
}
