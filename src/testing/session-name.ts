import type { TestInfo, WorkerInfo } from '@playwright/test'
import { sessionLimits, type CreateSessionOptions } from '../contract/session-options.ts'

/** Names the session of one test after the title of the test, unless the options have a name. */
export function nameAfterTest(
  options: CreateSessionOptions,
  { titlePath }: Pick<TestInfo, 'titlePath'>,
): CreateSessionOptions {
  return withName(options, titleOfTest(titlePath))
}

/** Names the session of a worker after its project and index, unless the options have a name. */
export function nameAfterWorker(
  options: CreateSessionOptions,
  { project, workerIndex }: { readonly project: Pick<WorkerInfo['project'], 'name'>; readonly workerIndex: number },
): CreateSessionOptions {
  const worker = `worker ${workerIndex}`
  return withName(options, project.name === '' ? worker : `${project.name}, ${worker}`)
}

/** Joins the titles of a test and its groups. The first part of the path is the file. */
export function titleOfTest(titlePath: readonly string[]): string {
  return titlePath.slice(1).join(' › ')
}

function withName(options: CreateSessionOptions, title: string): CreateSessionOptions {
  // Names are shown in one line. Tests of a group differ in the ends of their titles.
  const name = title
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(-sessionLimits.name.max)
    .toWellFormed()
  return name === '' ? options : { name, ...options }
}
