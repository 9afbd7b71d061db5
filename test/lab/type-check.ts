import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linkPackages } from './npm-projects.ts'
import { repository } from './source-tree.ts'

/**
 * Arguments of Node.js that run the TypeScript compiler. On several threads it would check shared
 * types once per thread, for twice the processor time.
 */
export const compiler = [join(repository, 'node_modules/typescript/bin/tsc'), '--singleThreaded'] as const

/** Options of the compiler, as strict as those of the repository. */
const strict = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Compiles files of a project strictly, without writing anything. */
export async function typeCheck(
  path: string,
  resolution: 'nodenext' | 'bundler',
  files: Readonly<Record<string, string>>,
) {
  const drivers = ['playwright-core', 'puppeteer-core']
  await linkPackages(path, ...drivers, '@playwright/test', 'vitest', '@modelcontextprotocol/client', '@types/node')
  const folder = join(path, 'checked')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [name, program] of Object.entries(files)) await writeFile(join(folder, name), program)
  const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
  const compilerOptions = { ...strict, module, moduleResolution: resolution }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(process.execPath, [...compiler, '-p', folder], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, stdout, stderr }),
    )
  })
}
